import fc from 'fast-check';
import { anyText } from './any-text.ts';
import type { Deviation, Path } from './deviation.ts';
import { objectIn, type Json } from './json.ts';
import type { Schema, Schemas } from './openapi.ts';

/**
 * Unusual names: at the limits of length and character sets, and names with a meaning in JavaScript, paths or
 * URLs.
 */
const names: readonly string[] = [
  '',
  ' ',
  'a'.repeat(253),
  'a'.repeat(254),
  `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
  'ünïcödé-名前',
  '\u202egnp.exe',
  '\ud800',
  '\u0000',
  'a\nb',
  '\u001b[31mred',
  '__proto__',
  'constructor',
  'toString',
  '..',
  'a/b/c',
  'a b',
  '%2e%2e',
  '-1',
  '18446744073709551616',
  '${name}',
];

/** Words of the API, put where another word is expected. */
const words: readonly string[] = [
  'true',
  'false',
  'Delete',
  'Retain',
  'Recycle',
  'Bound',
  'Released',
  'Succeeded',
  'Failed',
  'delete',
  'Pod',
  'v1',
];

const times: readonly string[] = [
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '2262-04-11T23:47:16Z',
  '2262-04-12T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:01Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00+14:00',
  '2026-01-01T00:00:00.123456789Z',
  '2026-01-01 00:00:00',
  '2026-01-01T24:00:60Z',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'yesterday',
  '',
  '1767225600',
];

const numbers: readonly number[] = [
  -1,
  0,
  1,
  0.5,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  5e-324,
];

const notEven: readonly Json[] = [
  null,
  true,
  false,
  7,
  'odd',
  [],
  {},
  [null],
  [[]],
  [7],
  ['odd'],
  [{}],
  { '': null },
  { length: 1 },
  { odd: { odd: 'odd' } },
];

/** A member whose name has a meaning in JavaScript, as JSON.parse creates it. */
const strangeMembers: readonly Json[] = [
  JSON.parse('{"__proto__":{"polluted":true}}') as Json,
  JSON.parse('{"__proto__":"odd"}') as Json,
  { constructor: 'odd' },
  { toString: 'odd' },
  { 'ünï/cödé': 'odd' },
  { odd: 7 },
  { odd: null },
];

/** A change of a value: to another type, or to the limit of its own. */
type Change = Deviation extends infer Each ? (Each extends Deviation ? Omit<Each, 'at'> : never) : never;

function changesTo({ type, format }: Schema): fc.Arbitrary<Change> {
  const anything = fc.oneof(
    { arbitrary: fc.constantFrom(...notEven), weight: 6 },
    { arbitrary: fc.constantFrom(...names, ...numbers, ...strangeMembers), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>, weight: 1 },
  );
  const isChange = anything.map((is): Change => ({ is }));
  const others: fc.Arbitrary<Change>[] = [fc.constant<Change>({ absent: true }), isChange];
  const put = (...values: readonly Json[]): fc.Arbitrary<Change> =>
    fc.constantFrom(...values).map((is): Change => ({ is }));
  const edges = ((): readonly fc.Arbitrary<Change>[] => {
    switch (type) {
      case 'string':
        return format === 'date-time'
          ? [put(...times)]
          : [
              put(...names),
              put(...words),
              anyText(12).map((is): Change => ({ is })),
              fc.constantFrom<Change>({ characters: 254 }, { characters: 300_000 }),
            ];
      case 'integer':
      case 'number':
        return [put(...numbers), put('1', '0x1', '1e3', ' 1 ', '-0')];
      case 'boolean':
        return [put('true', 'false', 0, 1, '')];
      case 'array':
        return [
          put([], [null], ['', '']),
          fc.constantFrom<Change>({ elements: 2 }, { elements: 10_000 }, { doubled: true }, { depth: 500 }),
        ];
      default:
        return [put({}, ...strangeMembers), fc.constantFrom<Change>({ members: 10_000 }, { depth: 500 })];
    }
  })();
  return fc.oneof(...others, ...edges, ...edges);
}

/** A place in an object, and what its schema says about it. */
interface Place {
  readonly at: Path;
  readonly schema: Schema;
}

/**
 * Returns deviations of an object, derived from its schema. Most are at places where the object has a value,
 * since controllers depend on those; the others are at neighbouring places that its schema knows.
 *
 * @param most the maximum number of deviations per object
 */
export function deviationsOf(
  object: unknown,
  schema: Schema,
  schemas: Schemas,
  most = 3,
): fc.Arbitrary<readonly Deviation[]> {
  const [filled, empty] = placesOf(object, schema, schemas);
  const deviationAt = ({ at, schema: each }: Place): fc.Arbitrary<Deviation> =>
    changesTo(each).map((change): Deviation => ({ at, ...change }));
  const deviation = fc.oneof(
    { arbitrary: fc.constantFrom(...filled).chain(deviationAt), weight: 5 },
    { arbitrary: fc.constantFrom(...empty).chain(deviationAt), weight: 1 },
  );
  return fc.array(deviation, { minLength: 1, maxLength: most, size: 'max' });
}

/** @returns places where the object has a value, and neighbouring places where its schema allows one */
function placesOf(
  object: unknown,
  schema: Schema,
  schemas: Schemas,
): readonly [readonly Place[], readonly Place[]] {
  const filled: Place[] = [];
  const empty: Place[] = [];
  const walk = (value: unknown, at: Path, each: Schema): void => {
    const known = schemas.resolve(each);
    if (at.length > 0) {
      filled.push({ at, schema: known });
    }
    if (Array.isArray(value)) {
      value.forEach((element, index) => walk(element, [...at, index], known.items ?? {}));
      return;
    }
    const members = objectIn(value);
    for (const [name, inner] of Object.entries(members ?? {})) {
      walk(inner, [...at, name], known.properties?.[name] ?? known.additionalProperties ?? {});
    }
    for (const [name, inner] of Object.entries(known.properties ?? {})) {
      if (members !== undefined && !Object.hasOwn(members, name)) {
        empty.push({ at: [...at, name], schema: schemas.resolve(inner) });
      }
    }
  };
  walk(object, [], schema);
  return [filled, empty];
}
