import { type Json, type JsonObject, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { MetaVersion } from '../http/negotiation.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { servedObject } from './stored-form.ts';

/* The Table form of objects (meta.k8s.io/v1). */

/** Which part of each object a Table carries. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function table(
  definition: ResourceDefinition,
  apiVersion: MetaVersion,
  rows: JsonObject[],
  metadata: JsonObject,
  hasColumns = true,
): JsonObject {
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: hasColumns ? [...definition.columns] : null,
    // For kinds without columns of their own, Go appends rows to a nil slice, which stays null if there are
    // none.
    rows: rows.length === 0 && definition.columns[1]?.name === 'Created At' ? null : rows,
  };
}

/** Returns the row of an object in its stored form. */
export function tableRow(
  definition: ResourceDefinition,
  apiVersion: MetaVersion,
  stored: KubeObject,
  include: IncludeObject,
  now: number,
): JsonObject {
  const conditions = definition.rowConditions?.(stored) ?? [];
  return {
    cells: [...definition.cells(stored, { now })],
    ...(conditions.length === 0 ? undefined : { conditions: [...conditions] }),
    object: includedPart(definition, apiVersion, stored, include),
  };
}

function includedPart(
  definition: ResourceDefinition,
  apiVersion: MetaVersion,
  stored: KubeObject,
  include: IncludeObject,
): Json {
  switch (include) {
    case 'None':
      return null;
    case 'Metadata':
      return partialMetadata(definition, apiVersion, stored);
    case 'Object':
      return servedObject(definition, stored);
  }
}

/** The metadata alone of an object in its stored form. */
export function partialMetadata(
  definition: ResourceDefinition,
  apiVersion: MetaVersion,
  stored: KubeObject,
): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: bareMetadata(definition, stored) };
}

/** Without what a version of the kind keeps there for want of a field. */
export function bareMetadata(
  { specAnnotations = [] }: ResourceDefinition,
  { metadata }: KubeObject,
): KubeObject['metadata'] {
  const { annotations } = metadata;
  if (annotations === undefined || !specAnnotations.some((name) => Object.hasOwn(annotations, name))) {
    return metadata;
  }
  const left = Object.entries(annotations).filter(([name]) => !specAnnotations.includes(name));
  const rest = withoutFields(metadata, ['annotations']);
  return left.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(left) };
}
