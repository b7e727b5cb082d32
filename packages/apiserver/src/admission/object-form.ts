import type { KubeObject } from '../meta/kube-object.ts';
import { internalErrorOccurred } from '../meta/status-error.ts';
import { decodeAs } from '../resources/decode-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { AdmissionRequest } from './admission.ts';

/*
 * Converts the object of a request to the form (a version or group of its kind) that a webhook or a policy
 * asks for. `inForm` is synchronous, so if a conversion webhook has to be called, `prepareForm` must run
 * first.
 */

/** Whether the object is of the resource itself, rather than of one of its actions. */
export function isOf(object: KubeObject, definition: ResourceDefinition): boolean {
  return object.kind === definition.kind && object.apiVersion === apiVersionOf(definition);
}

interface PreparedForm {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

const prepared = new WeakMap<AdmissionRequest, Map<ResourceDefinition, PreparedForm>>();

/** Whether `prepareForm` must be called before `inForm`. */
export function isPrepared({ definition }: AdmissionRequest, form: ResourceDefinition): boolean {
  return definition.askedConversion !== undefined && form !== definition;
}

/** Converts the current objects of the request to a form. Throws 500. */
export async function prepareForm(request: AdmissionRequest, form: ResourceDefinition): Promise<void> {
  const { definition, object, oldObject } = request;
  let forms = prepared.get(request);
  if (forms === undefined) {
    prepared.set(request, (forms = new Map<ResourceDefinition, PreparedForm>()));
  }
  // The old object never changes, so its conversion is reused.
  const known = forms.get(form)?.oldObject;
  forms.set(form, {
    object: object === undefined ? undefined : await asked(object, definition, form),
    oldObject: oldObject === undefined ? undefined : (known ?? (await asked(oldObject, definition, form))),
  });
}

async function asked(
  object: KubeObject,
  definition: ResourceDefinition,
  form: ResourceDefinition,
): Promise<KubeObject> {
  if (!isOf(object, definition)) {
    return object;
  }
  const canonical = decodeAs(object, identity(object, definition)).object;
  return convert(canonical, definition, form);
}

/**
 * Returns an object of the request in a form. Throws 500 if `prepareForm` should have prepared it and did
 * not.
 */
export function inForm(request: AdmissionRequest, object: KubeObject, form: ResourceDefinition): KubeObject {
  const { definition } = request;
  if (!isOf(object, definition)) {
    return object;
  }
  if (isPrepared(request, form)) {
    const forms = prepared.get(request)?.get(form);
    const shown = object === request.object ? forms?.object : forms?.oldObject;
    if (shown === undefined) {
      throw internalErrorOccurred(`${definition.plural} were not converted to ${apiVersionOf(form)}`);
    }
    return shown;
  }
  const canonical = decodeAs(object, identity(object, definition)).object;
  return form === definition ? canonical : convertByName(canonical, definition, form);
}

export function identity(
  { kind, apiVersion }: KubeObject,
  { struct }: Pick<ResourceDefinition, 'struct'>,
): { kind: string; apiVersion: string; struct: string | undefined } {
  return { kind, apiVersion, struct };
}

/**
 * Converts an object to another form. Returns a promise, which may reject with 500, only if a webhook has to
 * convert it.
 */
export function convert(
  object: KubeObject,
  from: ResourceDefinition,
  to: ResourceDefinition,
): KubeObject | Promise<KubeObject> {
  if (from === to) {
    return object;
  }
  return from.askedConversion === undefined
    ? convertByName(object, from, to)
    : from.askedConversion.inVersion(object, apiVersionOf(to));
}

function convertByName(object: KubeObject, from: ResourceDefinition, to: ResourceDefinition): KubeObject {
  const stored = from.conversion?.toStored(object) ?? object;
  return to.conversion?.fromStored(stored) ?? stored;
}
