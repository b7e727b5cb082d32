import { type Json, isObject, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { decodeStruct, keepGivenEmpty } from '../schema/decode.ts';
import { pruneObject } from '../structural/prune.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { type ResourceDefinition, apiVersionOf } from './resource-definition.ts';

/* Decodes JSON to an object of its kind. */

export interface TypeIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  /** The struct in the schema data. Undefined for kinds whose bodies are kept as they are. */
  readonly struct: string | undefined;
  /** For a kind without a struct: the schema that prunes bodies. */
  readonly schema?: SchemaNode | undefined;
}

export interface DecodedObject {
  readonly object: KubeObject;
  readonly unknownFields: readonly string[];
}

export function identityOf(definition: ResourceDefinition): TypeIdentity {
  const { kind, struct, schema } = definition;
  return { apiVersion: apiVersionOf(definition), kind, struct, schema };
}

/** Decodes parsed JSON. Throws DecodeError. */
export function decodeAs(value: Json, expected: TypeIdentity): DecodedObject {
  const decoded = decodeValue(value, expected);
  const metadata = isObject(value) && isObject(value['metadata']) ? value['metadata'] : {};
  const given = metadata['managedFields'];
  // An empty list of managedFields means the same as one empty entry, but would be left out when it is
  // written.
  if (Array.isArray(given) && given.length === 0) {
    decoded.object.metadata.managedFields = [{}];
  }
  return decoded;
}

function decodeValue(value: Json, expected: TypeIdentity): DecodedObject {
  if (expected.struct !== undefined) {
    const { value: decoded, unknownFields } = decodeStruct(expected.struct, value);
    const object = identify(decoded as KubeObject, expected);
    keepGivenEmpty(decoded, object);
    return { object, unknownFields };
  }
  const given = isObject(value) ? value : {};
  const source =
    expected.schema === undefined ? { value: given, unknownFields: [] } : pruneObject(given, expected.schema);
  const { value: metadata, unknownFields } = decodeStruct('meta.v1.ObjectMeta', given['metadata'] ?? null);
  return {
    object: identify({ ...source.value, metadata } as KubeObject, expected),
    unknownFields: [...unknownFields.map((field) => `metadata.${field}`), ...source.unknownFields],
  };
}

function identify(decoded: KubeObject, { kind, apiVersion }: TypeIdentity): KubeObject {
  return { kind, apiVersion, metadata: decoded.metadata, ...withoutFields(decoded, ['kind', 'apiVersion']) };
}

/**
 * Normalizes an object after admission and strategies changed it: fields in order, zero values as Go writes
 * them.
 */
export function canonicalObject(definition: ResourceDefinition, object: KubeObject): KubeObject {
  return decodeAs(object, identityOf(definition)).object;
}
