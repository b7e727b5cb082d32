import { admissionregistrationDescriptions } from './descriptions/admissionregistration.ts';
import { apiextensionsDescriptions } from './descriptions/apiextensions.ts';
import { apiregistrationDescriptions } from './descriptions/apiregistration.ts';
import { appsDescriptions } from './descriptions/apps.ts';
import { authenticationDescriptions } from './descriptions/authentication.ts';
import { authorizationDescriptions } from './descriptions/authorization.ts';
import { autoscalingDescriptions } from './descriptions/autoscaling.ts';
import { batchDescriptions } from './descriptions/batch.ts';
import { certificatesDescriptions } from './descriptions/certificates.ts';
import { coordinationDescriptions } from './descriptions/coordination.ts';
import { coreDescriptions } from './descriptions/core.ts';
import type { Descriptions } from './descriptions/description.ts';
import { discoveryDescriptions } from './descriptions/discovery.ts';
import { eventsDescriptions } from './descriptions/events.ts';
import { flowcontrolDescriptions } from './descriptions/flowcontrol.ts';
import { metaDescriptions, metadataDescriptions, typeDescriptions } from './descriptions/meta.ts';
import { networkingDescriptions } from './descriptions/networking.ts';
import { nodeDescriptions } from './descriptions/node.ts';
import { podDescriptions } from './descriptions/pods.ts';
import { policyDescriptions } from './descriptions/policy.ts';
import { rbacDescriptions } from './descriptions/rbac.ts';
import { resourceDescriptions } from './descriptions/resource.ts';
import { schedulingDescriptions } from './descriptions/scheduling.ts';
import { storageDescriptions } from './descriptions/storage.ts';
import { volumeDescriptions } from './descriptions/volumes.ts';

/*
 * Descriptions of kinds and their fields for `kubectl explain`, in this project's own words. Only the OpenAPI
 * code imports them, and it is loaded on demand.
 */

/** By the names of structs in the schema data. */
export const descriptions: Descriptions = {
  ...admissionregistrationDescriptions,
  ...apiextensionsDescriptions,
  ...apiregistrationDescriptions,
  ...appsDescriptions,
  ...authenticationDescriptions,
  ...authorizationDescriptions,
  ...autoscalingDescriptions,
  ...batchDescriptions,
  ...certificatesDescriptions,
  ...coordinationDescriptions,
  ...coreDescriptions,
  ...discoveryDescriptions,
  ...eventsDescriptions,
  ...flowcontrolDescriptions,
  ...metaDescriptions,
  ...networkingDescriptions,
  ...nodeDescriptions,
  ...podDescriptions,
  ...policyDescriptions,
  ...rbacDescriptions,
  ...resourceDescriptions,
  ...schedulingDescriptions,
  ...storageDescriptions,
  ...volumeDescriptions,
};

/** The description of a struct of the schema data. Undefined if there is none. */
export function describeStruct(struct: string): string | undefined {
  return descriptions[struct]?.about;
}

/**
 * The description of a field of a struct. Undefined if there is none.
 *
 * @param inner the struct that the field holds, if it holds one
 * @param isKind whether the struct is a kind, with apiVersion and kind
 */
export function describeField(
  struct: string,
  field: string,
  inner: string | undefined,
  isKind: boolean,
): string | undefined {
  const own = descriptions[struct]?.fields[field];
  if (own !== undefined || !isKind) {
    return own;
  }
  const [shared, key]: [Readonly<Record<string, string>>, string] =
    field === 'metadata' ? [metadataDescriptions, inner ?? ''] : [typeDescriptions, field];
  return shared[key];
}
