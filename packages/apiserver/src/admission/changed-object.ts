import type { Json } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { internalErrorOccurred } from '../meta/status-error.ts';
import { decodeAs } from '../resources/decode-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { DecodeError } from '../schema/decode.ts';
import type { AdmissionRequest } from './admission.ts';
import { convert, identity, isOf } from './object-form.ts';

/* Takes over the object that a webhook or a policy returned for the object of a request. */

/** Decodes a changed object as the kind that it was. Throws 500 if it is not a valid object of that kind. */
export function decodeChanged(changed: Json, before: KubeObject, form: ResourceDefinition): KubeObject {
  if (!isOf(before, form)) {
    return changed as KubeObject;
  }
  try {
    return decodeAs(changed, identity(before, form)).object;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw internalErrorOccurred(error.message);
    }
    throw error;
  }
}

/**
 * Converts a changed object back to the request's form and writes it into `object`. Both `object` and its
 * metadata are changed in place, because the handlers keep references to them. Returns a promise, which may
 * reject with 500, only if a webhook has to convert the object.
 */
export function writeBack(
  { definition }: AdmissionRequest,
  object: KubeObject,
  form: ResourceDefinition,
  changed: KubeObject,
): void | Promise<void> {
  const result = isOf(object, definition) ? convert(changed, form, definition) : changed;
  if (result instanceof Promise) {
    return result.then((converted) => {
      replace(object, converted);
    });
  }
  replace(object, result);
  return undefined;
}

function replace(object: KubeObject, result: KubeObject): void {
  const { metadata } = object;
  for (const field of Object.keys(metadata)) {
    Reflect.deleteProperty(metadata, field);
  }
  for (const field of Object.keys(object)) {
    Reflect.deleteProperty(object, field);
  }
  Object.assign(object, result, { metadata: Object.assign(metadata, result.metadata) });
}
