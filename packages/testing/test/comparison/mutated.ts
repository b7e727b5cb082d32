import fc from 'fast-check';
import { type FieldSchema, type FieldType, structSchema } from '../../../apiserver/src/schema/schema.ts';

/*
 * Objects in which one thing is otherwise, at a place that the schema of their kind has: a field that is gone, new or
 * null, a value of another type, out of range, or none of those that it may have.
 */

interface Place {
  readonly type: FieldType;
  /** Undefined for items of lists and maps. */
  readonly field: FieldSchema | undefined;
  readonly steps: readonly (string | number)[];
}

/**
 * An object with a thing that is otherwise. `choice` chooses the place, `other` what becomes of it; each whole number
 * is a choice.
 */
function mutated(struct: string, object: object, choice: number, other: number): object {
  const places = placesOf(struct, object, []);
  const place = places[choice % places.length];
  if (place === undefined) {
    return object;
  }
  const changed = structuredClone(object);
  const changes = changesAt(place, other);
  changes[other % changes.length]?.(changed);
  return changed;
}

/** The object, or what a mutation makes of it. */
export const mutations = (struct: string, body: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc
    .tuple(body, fc.nat(10_000), fc.nat(10_000))
    .map(([object, choice, other]) =>
      mutated(struct, JSON.parse(JSON.stringify(object)) as object, choice, other),
    );

function placesOf(struct: string, object: object, steps: Place['steps']): Place[] {
  const { byName } = structSchema(struct);
  return Object.entries(object).flatMap(([name, value]) => {
    const field = byName.get(name);
    return field === undefined || name === 'apiVersion' || name === 'kind'
      ? []
      : placesIn({ type: field.type, field, steps: [...steps, name] }, value);
  });
}

function placesIn(place: Place, value: unknown): Place[] {
  const type = pointed(place.type);
  if (typeof value !== 'object' || value === null) {
    return [place];
  }
  switch (type.kind) {
    case 'struct':
      return [place, ...placesOf(type.name, value, place.steps)];
    case 'list':
    case 'map':
      return [
        place,
        ...Object.entries(value).flatMap(([key, item]) =>
          placesIn(
            {
              type: type.of,
              field: undefined,
              steps: [...place.steps, Array.isArray(value) ? Number(key) : key],
            },
            item,
          ),
        ),
      ];
    default:
      return [place];
  }
}

function pointed(type: FieldType): FieldType {
  return type.kind === 'pointer' ? pointed(type.of) : type;
}

type Change = (object: object) => void;

function changesAt(place: Place, other: number): Change[] {
  const type = pointed(place.type);
  const values = place.field?.values ?? [];
  const set =
    (value: unknown): Change =>
    (object) =>
      put(object, place.steps, value);
  const changes = [
    set(undefined),
    set(null),
    ...[...values, ...(values.length > 0 ? ['Sideways'] : []), ...valuesOf(type)].map(set),
  ];
  if (type.kind !== 'struct') {
    return changes;
  }
  const { fields } = structSchema(type.name);
  const added = fields[(other >> 3) % fields.length];
  const add =
    (name: string, value: unknown): Change =>
    (object) =>
      put(object, [...place.steps, name], value);
  return [
    ...changes,
    add('unknown', 1),
    ...(added === undefined
      ? []
      : Array<Change>(4).fill(add(added.name, sample(added.type, added.values, other)))),
  ];
}

/** Values to be tried, some right and some wrong. */
function valuesOf(type: FieldType): readonly unknown[] {
  switch (type.kind) {
    case 'string':
      return ['', 'A b', 'a', 'x'.repeat(64), 'x'.repeat(254), 1, true];
    case 'bool':
      return [true, false, 'true', 1];
    case 'int32':
      return [0, 1, -1, 70_000, 2 ** 31, 1.5, '3'];
    case 'int64':
      return [0, 1, -1, 2 ** 33, 1.5, '3'];
    case 'float64':
      return [0, 0.5, -1, '3'];
    case 'bytes':
      return ['', 'YQ==', '%', 1];
    case 'time':
      return ['now', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', 1];
    case 'microtime':
      return ['now', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00Z', 1];
    case 'duration':
      return ['1s', 'long', 1];
    case 'quantity':
      return ['1', 1, '0.5Gi', '1e3', '-1', 'much', '', true];
    case 'intorstring':
      return [0, -1, '50%', 'x', '', 1.5, true];
    case 'list':
      return [[], {}, 'x', [null]];
    case 'map':
    case 'struct':
      return [{}, [], 'x'];
    default:
      return [{}, 1];
  }
}

/** A value that fits the type, as small as can be. */
function sample(type: FieldType, values: readonly string[], other: number): unknown {
  const inner = pointed(type);
  switch (inner.kind) {
    case 'list':
      return [sample(inner.of, [], other)];
    case 'map':
      return { k: sample(inner.of, [], other) };
    case 'struct':
      return Object.fromEntries(
        structSchema(inner.name)
          .fields.filter(({ required }) => required)
          .map((field) => [field.name, sample(field.type, field.values, other)]),
      );
    default: {
      const choices = values.length > 0 ? values : valuesOf(inner);
      return choices[(other >> 5) % choices.length];
    }
  }
}

function put(object: object, steps: readonly (string | number)[], value: unknown): void {
  const last = steps.at(-1);
  let holder = object as Record<string | number, unknown>;
  for (const step of steps.slice(0, -1)) {
    holder = holder[step] as Record<string | number, unknown>;
  }
  if (last !== undefined) {
    holder[last] = value;
  }
}
