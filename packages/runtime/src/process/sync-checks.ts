import type { HealthCheck } from '../serving/health.ts';
import { followersOf, namespacesOf, type Follower } from './follower.ts';

/**
 * Returns the checks of whether the controllers can begin, for /readyz.
 *
 * | followed              | resource | its check           | required for readiness                        |
 * |-----------------------|----------|---------------------|-----------------------------------------------|
 * | the whole cluster     | required | first list has come | yes                                           |
 * | namespaces            | required | first list has come | yes, for all resources of any one namespace   |
 * | either                | optional | can be read         | no                                            |
 *
 * A namespace that cannot be read must neither take the webhook from the others nor hold up a rollout.
 */
export function syncChecks(informers: readonly Follower[]): readonly HealthCheck[] {
  const required = informers.filter(({ isOptional }) => !isOptional);
  const namespaces = namespacesOf(required);
  const isSynced = (namespace: string): boolean =>
    followersOf(required, namespace).every((informer) => informer.hasSynced(namespace));
  const some: HealthCheck = {
    name: 'informer-sync-some-namespace',
    healthy: () => namespaces.some(isSynced),
  };
  const each = informers.flatMap((informer) =>
    informer.scopes.map((scope) => ({
      name: `informer-sync-${informer.name}${scope === undefined ? '' : `/${scope}`}`,
      healthy: () => (informer.isOptional ? informer.isFollowing(scope) : informer.hasSynced(scope)),
      isRequired: scope === undefined && !informer.isOptional,
    })),
  );
  return namespaces.length === 0 ? each : [...each, some];
}
