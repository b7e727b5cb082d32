import { leases } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { Deployment } from '../cluster/deployment.ts';
import { isHeld } from '../cluster/holdfast-at-work.ts';
import { unlessRefused } from '../cluster/refused.ts';
import type { AppName } from '../cluster/release.ts';
import { installedOf, keyOf, leaseOf } from '../preflight/installed.ts';
import { appNames } from '../survey/controllers.ts';

/** A process of a controller that no Deployment shows. */
export interface UnseenProcess {
  readonly app: AppName;
  /** The namespace of its lease. */
  readonly namespace: string;
  /** What shows it, as the rest of a sentence. */
  readonly because: string;
}

/**
 * Returns the processes that hold a lease which none of the Deployments has: those in the StatefulSet of a CSI
 * driver, or in a Deployment without labels. It returns none if leases may not be listed, and none of a
 * controller if the flags of one of its Deployments are not all known, since any of these leases might be its own.
 */
export async function unseenProcesses(
  client: Pick<ApiClient, 'list' | 'serverTime'>,
  deployed: readonly Deployment[],
): Promise<readonly UnseenProcess[]> {
  const unseen = await Promise.all(appNames.map((app) => unseenOf(client, app, deployed)));
  return unseen.flat();
}

async function unseenOf(
  client: Pick<ApiClient, 'list' | 'serverTime'>,
  app: AppName,
  deployed: readonly Deployment[],
): Promise<readonly UnseenProcess[]> {
  const own = installedOf(deployed).filter((each) => each.app === app);
  if (own.some(({ hidden }) => hidden !== undefined)) {
    return [];
  }
  const known = new Set(own.map(leaseOf).map((lease) => (lease === undefined ? '' : keyOf(lease))));
  const listed = await unlessRefused(client.list(leases, { fieldSelector: `metadata.name=holdfast-${app}` }));
  const now = client.serverTime()?.getTime() ?? Date.now();
  return (listed?.items ?? []).flatMap((lease) => {
    const { namespace = '', name } = lease.metadata;
    const key = keyOf({ namespace, name });
    return isHeld(lease, now) && !known.has(key)
      ? [{ app, namespace, because: `${lease.spec?.holderIdentity ?? ''} holds lease ${key}` }]
      : [];
  });
}
