import { leases } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { mightRun, type Deployment } from '../cluster/deployment.ts';
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
 * driver, or in a Deployment without labels. It returns none if leases may not be listed.
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
  const known = new Set(deployed.flatMap((each) => leasesOf(app, each)));
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

/**
 * Returns the keys of the leases that a Deployment might have: the one that its flags state, and if these are not all
 * known, the one of the default name in its namespace. One in another namespace counts only while the Deployment might
 * run: whoever may create Deployments in some namespace can label one that states any lease.
 */
function leasesOf(app: AppName, deployment: Deployment): readonly string[] {
  return installedOf([deployment])
    .filter((each) => each.app === app)
    .flatMap((each) => {
      const { namespace, hidden } = each;
      const stated = leaseOf(each);
      return [
        ...(stated !== undefined && (stated.namespace === namespace || mightRun(deployment)) ? [stated] : []),
        ...(hidden === undefined ? [] : [{ namespace, name: `holdfast-${app}` }]),
      ];
    })
    .map(keyOf);
}
