import { apiVersionOf, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { FieldTree } from './field-tree.ts';
import { compileJson } from './json-projection.ts';
import { anyObject, kinds } from './kubernetes-messages.ts';
import { compileProtobuf, type ReadMessage } from './protobuf-projection.ts';

/**
 * Which fields of an object are kept. `true` keeps a value or a list of values, and a map of values whole; names within a map
 * keep those entries only; braces keep a message with the fields that they name, empty ones just that it is there. The
 * messages of a list stand in brackets, with an optional second place that says which of them are kept.
 *
 *     { spec: { nodeName: true, volumes: [{ name: true, ephemeral: {} }, { withAnyOf: ['ephemeral'] }] } }
 */
export type Fields<T> = { readonly [Name in keyof T]?: FieldOf<NonNullable<T[Name]>> };

type FieldOf<Value> = Value extends readonly (infer Element)[]
  ? Element extends object
    ? readonly [Fields<Element>] | readonly [Fields<Element>, Elements<Element>]
    : true
  : Value extends object
    ? string extends keyof Value
      ? true | { readonly [name: string]: true }
      : Fields<Value>
    : true;

/** Which messages of a list are kept; a list of which none is kept is left out. */
export interface Elements<Element> {
  /** Those that have at least one of these fields, which must be among the fields kept. */
  readonly withAnyOf: readonly (keyof Element & string)[];
}

/** The fields of a kind that a controller reads, and how to get at them in whatever form the API server sends. */
export interface Projection<T extends KubernetesObject> {
  /**
   * The object with nothing but the fields kept. A field that is null counts as absent.
   *
   * @throws Error when a field kept is not of its type: in the metadata of all kinds, and in all else of those of `kubernetes-messages.ts`. Of
   *   other kinds only messages and lists are checked.
   */
  fromJson(object: T): T;
  /** Reads the same from protobuf. Absent when the codec does not know one of the fields, or the kind has no protobuf form. */
  readonly fromProtobuf?: ReadMessage;
}

/**
 * A projection of the resource's objects, declared once for JSON and protobuf: both give the same. Name, namespace, UID and
 * resourceVersion are always kept.
 *
 * The result has the type of the whole object, although only the fields named are there: as with the partial objects of
 * client-go's transforms, it is for the reader not to read what it did not name.
 *
 * Protobuf is read for pods, claims, volumes, storage classes, attachments and stateful sets when all fields named are in
 * `kubernetes-messages.ts`; everything else as JSON.
 */
export function createProjection<T extends KubernetesObject>(
  resource: ApiResource<T>,
  fields: Fields<T>,
): Projection<T> {
  const named = fields as FieldTree;
  const tree: FieldTree = { ...named, metadata: { ...identity, ...(named['metadata'] as FieldTree) } };
  const kind = kinds.get(`${apiVersionOf(resource)} ${resource.kind}`);
  const fromProtobuf = kind === undefined ? undefined : compileProtobuf(kind, tree);
  return {
    fromJson: compileJson(tree, 'it', kind ?? anyObject),
    ...(fromProtobuf === undefined ? {} : { fromProtobuf }),
  };
}

const identity: FieldTree = { name: true, namespace: true, uid: true, resourceVersion: true };
