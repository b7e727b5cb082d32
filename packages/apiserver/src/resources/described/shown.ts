import type { Json } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { PodSpec } from '../pod-spec.ts';
import { ageColumn, column, createdAtColumn, since } from '../table-columns.ts';
import type { Shown } from './described-resource.ts';

/* Columns that several described kinds share. */

export const age: Shown = {
  column: ageColumn,
  cell: ({ metadata }, { now }) => since(metadata.creationTimestamp, now),
};

export const createdAt: Shown = {
  column: createdAtColumn,
  cell: ({ metadata }) => metadata.creationTimestamp ?? '',
};

/**
 * A text column.
 *
 * @param priority 0 is always shown, 1 with -o wide
 */
export function text<Kind extends KubeObject>(
  name: string,
  description: string,
  cell: (object: Kind) => Json,
  priority = 0,
): Shown<Kind> {
  return { column: column(name, description, priority), cell };
}

/** A column of numbers or booleans. */
export function typed<Kind extends KubeObject>(
  name: string,
  type: 'integer' | 'boolean',
  description: string,
  cell: (object: Kind) => Json,
): Shown<Kind> {
  return { column: column(name, description, 0, type), cell };
}

/** The names and images of a template's containers. */
export function containerColumns(specOf: (object: KubeObject) => PodSpec | undefined, priority = 1): Shown[] {
  const listed = (field: 'name' | 'image') => (object: KubeObject) =>
    (specOf(object)?.containers ?? []).map((container) => container[field] ?? '').join(',');
  return [
    text('Containers', 'Names of each container in the template.', listed('name'), priority),
    text('Images', 'Images referenced by each container in the template.', listed('image'), priority),
  ];
}

/** Labels as kubectl prints them. */
export function printLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const parts = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return parts.length === 0 ? '<none>' : parts.sort().join(',');
}
