import type { KubeObject } from '../meta/kube-object.ts';
import { internalErrorOccurred } from '../meta/status-error.ts';
import { decodeAs } from '../resources/decode-object.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import type { AdmissionRequest } from './admission.ts';

/*
 * The object of a request in the form, one of several that its kind may have, that a webhook or a policy asked for. Where another webhook has to be asked for
 * that form, `prepareForm` does so before anything needs it.
 */

/** Whether it is an object of the resource itself rather than of one of its actions. */
export function isOf(object: KubeObject, definition: ResourceDefinition): boolean {
  return object.kind === definition.kind && object.apiVersion === apiVersionOf(definition);
}

interface PreparedForm {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

const prepared = new WeakMap<AdmissionRequest, Map<ResourceDefinition, PreparedForm>>();

/** Whether `prepareForm` comes before `inForm`. */
export function isPrepared({ definition }: AdmissionRequest, form: ResourceDefinition): boolean {
  return definition.askedConversion !== undefined && form !== definition;
}

/** Has the objects of the request, as they are now, converted to a form. Throws 500. */
export async function prepareForm(request: AdmissionRequest, form: ResourceDefinition): Promise<void> {
  const { definition, object, oldObject } = request;
  let forms = prepared.get(request);
  if (forms === undefined) {
    prepared.set(request, (forms = new Map<ResourceDefinition, PreparedForm>()));
  }
  // The old object never changes.
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

/** Throws 500 for a form that was to be prepared, and is not. */
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

/** An object of one form in another: a promise, which may throw 500, only where a webhook has to convert it. */
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
