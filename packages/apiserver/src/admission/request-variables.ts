import type { Authorizer } from '../auth/authorizer.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../auth/user-info.ts';
import type { AdmissionVariables } from '../cel/admission-expression.ts';
import { AccessAuthorizer, type CheckAccess } from '../cel/authorizer-functions.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import { type ResourceDefinition, isNamespace } from '../resources/resource-definition.ts';
import type { AdmissionRequest } from './admission.ts';
import { inForm } from './object-form.ts';
import { reviewOf } from './webhook-review.ts';

interface Reviewed extends JsonObject {
  object: Json;
  oldObject: Json;
}

/**
 * The variables of expressions about a request: its contents in a form, as a webhook would receive them, and
 * an authorizer that checks what its sender is allowed to do.
 */
export function requestVariables(
  request: AdmissionRequest,
  form: ResourceDefinition,
  authorizer: Authorizer,
): AdmissionVariables {
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
  return {
    request: rest,
    object: shown,
    oldObject: old,
    authorizer: accessAuthorizer(request, authorizer),
  };
}

function accessAuthorizer(request: AdmissionRequest, authorizer: Authorizer): AccessAuthorizer {
  const { user, definition, subresource, name } = request;
  const check: CheckAccess = (access, account) => {
    const asked =
      account === undefined
        ? user
        : {
            name: serviceAccountUserName(account.namespace, account.name),
            uid: '',
            groups: serviceAccountGroups(account.namespace),
          };
    return authorizer.authorize(asked, access);
  };
  return new AccessAuthorizer(check, {
    group: definition.group,
    resource: definition.plural,
    subresource,
    namespace: namespaceOf(request),
    name,
  });
}

/** The namespace of a request. A Namespace counts as being in itself. */
export function namespaceOf({ definition, namespace, name }: AdmissionRequest): string {
  return isNamespace(definition) ? name : definition.namespaced ? namespace : '';
}
