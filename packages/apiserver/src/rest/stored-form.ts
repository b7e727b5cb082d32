import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { writeMessage } from '../schema/protobuf-writer.ts';
import type { Entry } from '../storage/storage.ts';

/* Objects are stored in one form and served in one or two; what is served is written out once per revision and shared. */

const servedObjects = new WeakMap<ResourceDefinition, WeakMap<KubeObject, KubeObject>>();
const written = new WeakMap<KubeObject, string>();
const messages = new WeakMap<KubeObject, Buffer>();

/** Objects whose stored form lacks defaults; see ResourceDefinition.isStoredUndefaulted. */
export const storedUndefaulted = new WeakSet<KubeObject>();

/** The object in the form of the definition, which one that a webhook converts has already. */
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

/** What a write answers with that stores nothing: an object that was converted for storage, and back. Throws 500. */
export async function readBackConverted(
  { askedConversion }: ResourceDefinition,
  stored: KubeObject,
): Promise<KubeObject> {
  const [served = stored] = (await askedConversion?.fromStored([stored])) ?? [];
  return served;
}

/** The JSON of an entry as the definition serves it. */
export function servedJson(definition: ResourceDefinition, entry: Entry): string {
  const object = servedObject(definition, entry.object);
  let json = written.get(object);
  if (json === undefined) {
    written.set(object, (json = JSON.stringify(object)));
  }
  return json;
}

/** The JSON of an object that a write answers with: the text that was just written to its watchers, where it has some. */
export function answeredJson(object: KubeObject): string {
  return written.get(object) ?? JSON.stringify(object);
}

/** The JSON of an entry inside a list, where items carry no kind and apiVersion. */
export function servedItemJson(definition: ResourceDefinition, entry: Entry): string {
  const json = servedJson(definition, entry);
  // Custom resources are no types of Go's: they keep what says their type.
  if (definition.struct === undefined) {
    return json;
  }
  const { kind, apiVersion } = servedObject(definition, entry.object);
  const head = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  return json.startsWith(head) ? `{${json.slice(head.length)}` : json;
}

/** The protobuf message of an entry as the definition serves it, of a kind with a struct. */
export function servedMessage(definition: ResourceDefinition, struct: string, entry: Entry): Buffer {
  const object = servedObject(definition, entry.object);
  let message = messages.get(object);
  if (message === undefined) {
    messages.set(object, (message = writeMessage(object, struct)));
  }
  return message;
}

/** The message of an object that a write answers with, as answeredJson. */
export function answeredMessage(object: KubeObject, struct: string): Buffer {
  return messages.get(object) ?? writeMessage(object, struct);
}
