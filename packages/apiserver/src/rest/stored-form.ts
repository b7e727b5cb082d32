import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { writeMessage } from '../schema/protobuf-writer.ts';
import type { Entry } from '../storage/storage.ts';

/*
 * Objects are stored in one form and served in one or two. A served object is created once per revision and
 * shared.
 */

const servedObjects = new WeakMap<ResourceDefinition, WeakMap<KubeObject, KubeObject>>();
const written = new WeakMap<KubeObject, string>();
const messages = new WeakMap<KubeObject, Buffer>();

/** Objects whose stored form lacks defaults; see ResourceDefinition.isStoredUndefaulted. */
export const storedUndefaulted = new WeakSet<KubeObject>();

/**
 * Returns the object in the form of the definition. An object that a webhook converts already has that form.
 */
export function servedObject(definition: ResourceDefinition, stored: KubeObject): KubeObject {
  if (definition.conversion === undefined) {
    return stored;
  }
  let cache = servedObjects.get(definition);
  if (cache === undefined) {
    servedObjects.set(definition, (cache = new WeakMap()));
  }
  let served = cache.get(stored);
  if (served === undefined) {
    cache.set(stored, (served = definition.conversion.fromStored(stored)));
  }
  return served;
}

export function storedObject(definition: ResourceDefinition, served: KubeObject): KubeObject {
  return definition.conversion?.toStored(served) ?? served;
}

/**
 * Returns the answer to a write that stores nothing: the object converted for storage and back. Throws 500.
 */
export async function readBackConverted(
  { askedConversion }: ResourceDefinition,
  stored: KubeObject,
): Promise<KubeObject> {
  const [served = stored] = (await askedConversion?.fromStored([stored])) ?? [];
  return served;
}

/** Returns the JSON of an entry as the definition serves it. */
export function servedJson(definition: ResourceDefinition, entry: Entry): string {
  const object = servedObject(definition, entry.object);
  let json = written.get(object);
  if (json === undefined) {
    written.set(object, (json = JSON.stringify(object)));
  }
  return json;
}

/**
 * Returns the JSON of an object that a write answers with: the text that was just written to its watchers, if
 * there is one.
 */
export function answeredJson(object: KubeObject): string {
  return written.get(object) ?? JSON.stringify(object);
}

/** Returns the JSON of an entry within a list, whose items carry no kind and apiVersion. */
export function servedItemJson(definition: ResourceDefinition, entry: Entry): string {
  const json = servedJson(definition, entry);
  // A custom resource has no Go type, so its items keep kind and apiVersion.
  if (definition.struct === undefined) {
    return json;
  }
  const { kind, apiVersion } = servedObject(definition, entry.object);
  const head = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  return json.startsWith(head) ? `{${json.slice(head.length)}` : json;
}

/** Returns the protobuf message of an entry as the definition serves it, for a kind with a struct. */
export function servedMessage(definition: ResourceDefinition, struct: string, entry: Entry): Buffer {
  const object = servedObject(definition, entry.object);
  let message = messages.get(object);
  if (message === undefined) {
    messages.set(object, (message = writeMessage(object, struct)));
  }
  return message;
}

/** Returns the message of an object that a write answers with, like answeredJson. */
export function answeredMessage(object: KubeObject, struct: string): Buffer {
  return messages.get(object) ?? writeMessage(object, struct);
}
