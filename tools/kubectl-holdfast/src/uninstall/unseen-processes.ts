import { leases } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { Deployment } from '../cluster/deployment.ts';
import { isHeld } from '../cluster/holdfast-at-work.ts';
import { unlessRefused } from '../cluster/refused.ts';
import { installedOf, keyOf, leaseOf } from '../preflight/installed.ts';

/**
 * Returns the processes of pv-reclaim-honor that hold a lease which none of the Deployments has: those in the
 * StatefulSet of a CSI driver, or in a Deployment without labels. Empty if leases may not be listed, or if the
 * flags of a Deployment are not all known, since any of these leases might be its own.
 */
export async function unseenProcesses(
  client: Pick<ApiClient, 'list' | 'serverTime'>,
  deployed: readonly Deployment[],
): Promise<readonly string[]> {
  const app = 'pv-reclaim-honor';
  const own = installedOf(deployed).filter((each) => each.app === app);
  if (own.length === 0 || own.some(({ hidden }) => hidden !== undefined)) {
    return [];
  }
  const known = new Set(own.map(leaseOf).map((lease) => (lease === undefined ? '' : keyOf(lease))));
  const listed = await unlessRefused(client.list(leases, { fieldSelector: `metadata.name=holdfast-${app}` }));
  const now = client.serverTime()?.getTime() ?? Date.now();
  return (listed?.items ?? [])
    .filter((lease) => isHeld(lease, now))
    .map(({ metadata: { namespace = '', name }, spec }) => ({
      key: keyOf({ namespace, name }),
      holder: spec?.holderIdentity ?? '',
    }))
    .filter(({ key }) => !known.has(key))
    .map(({ key, holder }) => `${holder} holds lease ${key}`);
}
