import { append } from '../meta/append.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { decodeStruct } from '../schema/decode.ts';
import { type SchemaNode, schemaOfField } from './schema-node.ts';

/*
 * Takes away what a structural schema does not name, as k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning
 * does:
 *
 * | node                                        | fields that it does not name                         |
 * |---------------------------------------------|------------------------------------------------------|
 * | x-kubernetes-preserve-unknown-fields        | kept; below those that it names, pruning begins anew |
 * | additionalProperties                        | kept                                                 |
 * | x-kubernetes-embedded-resource, or the root | apiVersion, kind and metadata are kept               |
 * | all others                                  | pruned                                               |
 */

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export interface Pruned {
  readonly value: JsonObject;
  /** The paths of the removed fields, sorted. */
  readonly unknownFields: readonly string[];
}

/** Prunes a whole object. The given object is left unchanged. */
export function pruneObject(object: JsonObject, schema: SchemaNode): Pruned {
  const unknown: string[] = [];
  const value = prune(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', unknown);
  return { value: isObject(value) ? value : {}, unknownFields: unknown.sort() };
}

function prune(value: Json, node: SchemaNode | undefined, path: string, unknown: string[]): Json {
  if (Array.isArray(value)) {
    const items = isObject(node?.items) ? node.items : undefined;
    const isKept = items === undefined && node?.['x-kubernetes-preserve-unknown-fields'] === true;
    return isKept ? value : value.map((item, index) => prune(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) {
    return value;
  }
  const isPreserving = node?.['x-kubernetes-preserve-unknown-fields'] === true;
  const isResource = node?.['x-kubernetes-embedded-resource'] === true;
  const kept: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const child = path === '' ? name : `${path}.${name}`;
    if (item === undefined) {
      continue;
    }
    if (isResource && metaFields.has(name)) {
      kept[name] = name === 'metadata' && path !== '' ? pruneMetadata(item, child, unknown) : item;
      continue;
    }
    const schema = node === undefined ? undefined : schemaOfField(node, name);
    if (schema !== undefined) {
      kept[name] = prune(item, schema, child, unknown);
    } else if (isPreserving || node?.additionalProperties === true) {
      kept[name] = item;
    } else if (!metaFields.has(name) || path !== '') {
      unknown.push(child);
    }
  }
  return kept;
}

/** Prunes the metadata of an embedded resource, which a schema does not describe. */
function pruneMetadata(metadata: Json, path: string, unknown: string[]): Json {
  const decoded = decodeStruct('meta.v1.ObjectMeta', metadata);
  append(
    unknown,
    decoded.unknownFields.map((field) => `${path}.${field}`),
  );
  // Go writes its zero time as null; an embedded object leaves it out.
  return Object.fromEntries(Object.entries(decoded.value).filter(([, item]) => item !== null));
}
