import type { AdmissionVariables } from '../cel/admission-expression.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { AdmissionRequest } from './admission.ts';
import { inForm } from './object-form.ts';
import { reviewOf } from './webhook-review.ts';

interface Reviewed extends JsonObject {
  object: Json;
  oldObject: Json;
}

/** What expressions see of a request, in the form that was asked for: what a webhook would be sent. */
export function requestVariables(
  request: AdmissionRequest,
  form: ResourceDefinition,
): Required<Pick<AdmissionVariables, 'request' | 'object' | 'oldObject'>> {
  const { object, oldObject } = request;
  const { json } = reviewOf(
    request,
    form,
    object === undefined ? undefined : inForm(request, object, form),
    oldObject === undefined ? undefined : inForm(request, oldObject, form),
    [],
  );
  const review = JSON.parse(json) as { readonly request: Reviewed };
  const { object: shown, oldObject: old, ...rest } = review.request;
  return { request: rest, object: shown, oldObject: old };
}
