import type { KubeObject } from '../meta/kube-object.ts';
import { decodeAs } from '../resources/decode-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { AdmissionRequest } from './admission.ts';

/* The object of a request in the form, one of several that its kind may have, that a webhook or a policy asked for. */

/** Whether it is an object of the resource itself rather than of one of its actions. */
export function isOf(object: KubeObject, definition: ResourceDefinition): boolean {
  return object.kind === definition.kind && object.apiVersion === apiVersionOf(definition);
}

export function inForm(
  { definition }: AdmissionRequest,
  object: KubeObject,
  form: ResourceDefinition,
): KubeObject {
  if (!isOf(object, definition)) {
    return object;
  }
  const canonical = decodeAs(object, identity(object, definition)).object;
  return convert(canonical, definition, form);
}

export function identity(
  { kind, apiVersion }: KubeObject,
  { struct }: Pick<ResourceDefinition, 'struct'>,
): { kind: string; apiVersion: string; struct: string | undefined } {
  return { kind, apiVersion, struct };
}

export function convert(object: KubeObject, from: ResourceDefinition, to: ResourceDefinition): KubeObject {
  if (from === to) {
    return object;
  }
  const stored = from.conversion?.toStored(object) ?? object;
  return to.conversion?.fromStored(stored) ?? stored;
}
