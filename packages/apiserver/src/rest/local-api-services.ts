import type { BootstrapObject } from '../auth/bootstrap-policy.ts';
import type { JsonObject } from '../meta/json.ts';
import { apiServices } from '../resources/described/api-services.ts';
import { groupPriorities } from './group-priorities.ts';

/* The APIServices in which the API server says that it serves a group version itself. */

/** Says of an APIService that the API server made it, and for how long it maintains it. */
export const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/** An APIService without a service: the API server itself answers for the group version. */
export function localApiService(
  group: string,
  version: string,
  managed: string,
  priority: { readonly group: number; readonly version: number },
): JsonObject {
  return {
    metadata: { name: `${version}.${group}`, labels: { [managedLabel]: managed } },
    spec: {
      ...(group === '' ? undefined : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}

/**
 * The APIServices of the built-in kinds. The server makes them when it starts, and does not restore one that is
 * deleted.
 */
export function builtInApiServices(): readonly BootstrapObject[] {
  return Object.entries(groupPriorities).map(([groupVersion, priority]) => {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return {
      definition: apiServices,
      namespace: '',
      object: localApiService(group, version, 'onstart', priority),
    };
  });
}
