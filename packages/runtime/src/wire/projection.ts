import { apiVersionOf, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { FieldTree } from './field-tree.ts';
import { compileJson } from './json-projection.ts';
import { anyObject, kinds } from './kubernetes-messages.ts';
import { compileProtobuf, type ReadMessage } from './protobuf-projection.ts';

/**
 * Selects the fields of an object to keep. `true` keeps a value, a list of values, or a whole map of values;
 * names within a map keep only those entries. Braces keep a message with the named fields; empty braces only
 * keep that it is there. Brackets stand for a list of messages, with an optional second element that selects
 * which messages are kept.
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

/** Selects messages of a list; a list of which none is kept is left out. */
export interface Elements<Element> {
  /** Keeps messages with at least one of these fields, which must be among the fields kept. */
  readonly withAnyOf: readonly (keyof Element & string)[];
}

/** The fields of a kind that a controller reads, and how to extract them from JSON and protobuf. */
export interface Projection<T extends KubernetesObject> {
  /**
   * Returns the object with only the fields kept. A field that is null counts as absent.
   *
   * @throws Error if a kept field is not of its type. This is checked in the metadata of all kinds, and
   *   everywhere in the kinds of `kubernetes-messages.ts`. In other kinds only messages and lists are
   *   checked.
   */
  fromJson(object: T): T;
  /**
   * Reads the same from protobuf. Absent if the codec does not know one of the fields, or the kind has no
   * protobuf form.
   */
  readonly fromProtobuf?: ReadMessage;
}

/**
 * Creates a projection of the resource's objects, declared once for JSON and protobuf, which give the same
 * result. Name, namespace, UID and resourceVersion are always kept.
 *
 * The result has the type of the whole object, although only the named fields are there. As with the partial
 * objects of client-go's transforms, the reader must not read other fields.
 *
 * Protobuf is used for pods, claims, volumes, storage classes, attachments and stateful sets if all named
 * fields are in `kubernetes-messages.ts`; everything else is read as JSON.
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
