import type { KubernetesObject } from '@holdfast/core';
import { pathOf } from './place.ts';

/**
 * The state that a world has reached, without what differs from run to run: each object under its kind and
 * name, plus what remains outside the API server.
 */
export type Projection = Readonly<Record<string, unknown>>;

/** Kinds that differ from run to run: an Event might be lost, and a Lease names its holder. */
const unstable: ReadonlySet<string> = new Set(['Event', 'Lease']);
/** Fields that the server counts or chooses. */
const counted: ReadonlySet<string> = new Set([
  'resourceVersion',
  'managedFields',
  'generation',
  'observedGeneration',
]);
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * Projects the objects of a world.
 *
 * @param project see `Scenario.project`
 * @param remains see `Scenario.remains`
 */
export function projectionOf(
  objects: Iterable<KubernetesObject>,
  project: (object: KubernetesObject) => unknown = (object) => object,
  remains?: unknown,
): Projection {
  const all = [...objects];
  const names = new Map(all.map((object) => [object.metadata.uid, nameOf(object)]));
  const alike = (text: string): string =>
    text.replace(uid, (id) => `<uid of ${names.get(id) ?? 'what is gone'}>`).replace(time, '<time>');
  const simplify = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return alike(value);
    }
    if (Array.isArray(value)) {
      return value.map(simplify);
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value)
          .filter(([field]) => !counted.has(field))
          .map(([field, inner]) => [alike(field), simplify(inner)] as const)
          .toSorted(([a], [b]) => compare(a, b)),
      );
    }
    return value;
  };
  const kept = all
    .filter(({ kind = '' }) => !unstable.has(kind))
    .map((object) => [alike(nameOf(object)), simplify(project(object))] as const)
    .filter(([, shown]) => shown !== undefined);
  return Object.fromEntries([
    ...kept.toSorted(([a], [b]) => compare(a, b)),
    ...(remains === undefined ? [] : [['what remains', simplify(remains)] as const]),
  ]);
}

/**
 * Compares two projections.
 *
 * @returns one line for each field that differs; empty if none does
 */
export function differences(expected: unknown, found: unknown, path = ''): readonly string[] {
  if (isRecord(expected) && isRecord(found)) {
    const fields = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
    return fields.flatMap((field) =>
      differences(expected[field], found[field], path === '' ? field : `${path}.${field}`),
    );
  }
  const [wanted, seen] = [shown(expected), shown(found)];
  return wanted === seen ? [] : [`${path}: expected ${wanted}, found ${seen}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function nameOf({ kind = '', metadata: { namespace, name } }: KubernetesObject): string {
  return `${kind} ${pathOf(namespace, name)}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
