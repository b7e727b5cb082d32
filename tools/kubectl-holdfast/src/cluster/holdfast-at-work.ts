import {
  FeatureGateError,
  leases,
  parseFeatureGates,
  parseTimestamp,
  type FeatureGates,
  type FeatureGateSpecs,
  type Lease,
} from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { SeenWait } from '../plan/vacancy-wait.ts';
import {
  containersOfApp,
  deployments,
  flagsOf,
  hiddenFlagsOf,
  namespacesIn,
  type Deployment,
} from './deployment.ts';
import { unlessForbidden, unlessNotServed, unlessRefused } from './refused.ts';
import type { AppName } from './release.ts';
import { waitOf } from './vacancy-wait.ts';

/** Whether and how one of the four controllers works in the cluster. */
export interface AtWork {
  readonly state: 'atWork' | 'absent' | 'unknown';
  /** Whether a Deployment of it was found. */
  readonly isDeployed: boolean;
  /** The namespace and name of that Deployment, as in `storage/pvc-protection`. */
  readonly deployment?: string;
  /** Its flags, by their names without dashes, taken from its Deployment; empty if none was found. */
  readonly flags: ReadonlyMap<string, string>;
  /** Why its Deployment might not show all of its flags. Default: it shows all. */
  readonly hidden?: string;
  /** What shows that it is at work, or why that is not known. */
  readonly because: string;
  /** Until when it carries out nothing of what waits for its time. Default: it does not wait. */
  readonly wait?: SeenWait;
  /** The same for its other Deployments, which serve other namespaces or are not at work. Default: none. */
  readonly others?: readonly Omit<AtWork, 'others'>[];
}

/**
 * Decides whether a controller is at work:
 *
 * | lease                    | Deployment                                    | answer  |
 * |--------------------------|-----------------------------------------------|---------|
 * | renewed within its time  | any, or none                                  | at work |
 * | -                        | ready, without leader election                | at work |
 * | not held                 | may not be read                               | unknown |
 * | may not be read          | not ready without leader election, or none    | unknown |
 * | else                     |                                               | absent  |
 *
 * With `--dry-run` a controller writes nothing, so it counts as absent.
 *
 * A Deployment is judged by its own flags and by the leases of its own namespace, or of the one that they state, since
 * others might label Deployments or name leases like that. Of several, one that is at work comes first.
 *
 * @param serverTime by the API server's clock, milliseconds since 1970
 */
export function judgeAtWork(app: AppName, found: Found, serverTime: number): AtWork {
  const own = ownDeployments(app, found.deployments);
  const homes = new Set(own.map(({ metadata }) => metadata.namespace));
  const judged = own.map((deployment) => {
    const { namespace = '', name } = deployment.metadata;
    const hidden = hiddenFlagsOf(containersOfApp(deployment, app), namespace);
    const stated = appFlags(deployment, app).get('leader-elect-resource-namespace');
    // If its flags are not all known, a lease in a namespace without one of these Deployments might be its own.
    const leasesNear = found.leases?.filter(({ metadata }) =>
      hidden === undefined || stated !== undefined
        ? metadata.namespace === (stated ?? namespace)
        : metadata.namespace === namespace || !homes.has(metadata.namespace),
    );
    const one = {
      ...judgeOne(app, deployment, { ...found, leases: leasesNear }, serverTime),
      deployment: `${namespace}/${name}`,
    };
    return hidden === undefined
      ? one
      : { ...one, hidden, because: `${one.because}; not all of its flags are known: ${hidden}` };
  });
  const [first, ...others] = judged.toSorted(
    (a, b) => Number(b.state === 'atWork') - Number(a.state === 'atWork'),
  );
  return first === undefined
    ? judgeOne(app, undefined, found, serverTime)
    : { ...first, ...(others.length > 0 ? { others } : {}) };
}

interface Found {
  readonly leases: readonly Lease[] | undefined;
  /** Undefined if they are not served; `unread` if they may not be listed. */
  readonly deployments: readonly Deployment[] | 'unread' | undefined;
}

function judgeOne(
  app: AppName,
  deployment: Deployment | undefined,
  { leases: seen, deployments: listed }: Found,
  serverTime: number,
): Omit<AtWork, 'others'> {
  const isDeployed = deployment !== undefined;
  const flags = isDeployed ? appFlags(deployment, app) : new Map<string, string>();
  const leaseName = leaseNameOf(app, flags);
  const named = seen?.filter(({ metadata }) => metadata.name === leaseName);
  const held = named?.filter((each) => isHeld(each, serverTime)) ?? [];
  const [lease] = held;
  const known = {
    isDeployed,
    flags,
    wait: waitOf(app, flags, lease === undefined ? named : held, serverTime),
  };
  if (flags.get('dry-run') === 'true') {
    return { ...known, state: 'absent', because: 'it runs with --dry-run' };
  }
  if (lease !== undefined) {
    const { holderIdentity = '' } = lease.spec ?? {};
    const where = `${lease.metadata.namespace ?? ''}/${lease.metadata.name}`;
    const unknown = isDeployed
      ? ''
      : `; its flags are not known: ${listed === 'unread' ? 'you may not list deployments' : 'no deployment is labelled as its own'}`;
    return { ...known, state: 'atWork', because: `${holderIdentity} holds lease ${where}${unknown}` };
  }
  if (flags.get('leader-elect') === 'false' && (deployment?.status?.readyReplicas ?? 0) > 0) {
    const { namespace = '', name = '' } = deployment?.metadata ?? {};
    return { ...known, state: 'atWork', because: `deployment ${namespace}/${name} is ready` };
  }
  if (seen === undefined) {
    return { ...known, state: 'unknown', because: 'you may not list leases' };
  }
  if (listed === 'unread') {
    return {
      ...known,
      state: 'unknown',
      because: `no process holds a lease ${leaseName}, and you may not list deployments: without leader election it needs none`,
    };
  }
  return { ...known, state: 'absent', because: `no process holds a lease ${leaseName}` };
}

/** Whether a process holds the lease, and has renewed it within its time. */
export function isHeld({ spec }: Lease, serverTime: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = spec ?? {};
  const renewed = renewTime === undefined ? undefined : parseTimestamp(renewTime);
  return (
    holderIdentity !== '' && renewed !== undefined && renewed + leaseDurationSeconds * 1_000 > serverTime
  );
}

function ownDeployments(app: AppName, listed: Found['deployments']): readonly Deployment[] {
  return (listed === 'unread' ? [] : (listed ?? [])).filter(
    ({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === app,
  );
}

/** Whether the value of a flag is known; it has its default if it is known and not among the flags. */
export function isFlagKnown(
  { isDeployed, flags, hidden }: Pick<AtWork, 'isDeployed' | 'flags' | 'hidden'>,
  name: string,
): boolean {
  return isDeployed && (hidden === undefined || flags.has(name));
}

/** Returns why some of these flags might have other values than it seems; undefined if they are known. */
export function hiddenAmong(own: AtWork, names: readonly string[]): string | undefined {
  return names.every((name) => own.flags.has(name)) ? undefined : own.hidden;
}

/** Returns the name of a controller's lease, as its flags state it. */
export function leaseNameOf(app: AppName, flags: ReadonlyMap<string, string>): string {
  return flags.get('leader-elect-resource-name') ?? `holdfast-${app}`;
}

function appFlags(deployment: Deployment, app: AppName): ReadonlyMap<string, string> {
  const { namespace = '' } = deployment.metadata;
  return new Map(containersOfApp(deployment, app).flatMap((container) => [...flagsOf(container, namespace)]));
}

/** Returns the gates that a controller's flags set; its defaults if the flags are not known or invalid. */
export function gatesOf<Name extends string>(
  specs: FeatureGateSpecs<Name>,
  { flags }: Pick<AtWork, 'flags'>,
): FeatureGates<Name> {
  try {
    return parseFeatureGates(specs, flags.get('feature-gates') ?? '');
  } catch (error) {
    if (error instanceof FeatureGateError) {
      return parseFeatureGates(specs, '');
    }
    throw error;
  }
}

/** Whether the controller serves a namespace. */
export function looksAfter({ flags }: Pick<AtWork, 'flags'>, namespace: string): boolean {
  const namespaces = namespacesIn(flags.get('namespaces') ?? '');
  return namespaces.length === 0 || namespaces.includes(namespace);
}

/**
 * Reads the leases and Deployments of the named controllers. What may not be read is undefined, see {@link
 * judgeAtWork}.
 */
export async function readAtWork<Name extends AppName>(
  client: Pick<ApiClient, 'list' | 'serverTime'>,
  apps: readonly Name[],
): Promise<Readonly<Record<Name, AtWork>>> {
  return (await readInstalled(client, apps)).atWork;
}

/**
 * Lists the Deployments of Holdfast's controllers.
 *
 * @param namespace default: all
 */
export async function readDeployments(
  client: Pick<ApiClient, 'list'>,
  namespace?: string,
): Promise<Found['deployments']> {
  const found = await unlessForbidden(
    unlessNotServed(
      client.list(deployments, {
        ...(namespace === undefined ? {} : { namespace }),
        labelSelector: 'app.kubernetes.io/part-of=holdfast',
        resourceVersion: '0',
      }),
    ),
    'unread',
  );
  return found === 'unread' ? found : found?.items;
}

/** The same, together with the Deployments; undefined if they may not be read. */
export async function readInstalled<Name extends AppName>(
  client: Pick<ApiClient, 'list' | 'serverTime'>,
  apps: readonly Name[],
): Promise<{
  readonly atWork: Readonly<Record<Name, AtWork>>;
  readonly deployed: readonly Deployment[] | undefined;
}> {
  const leasesNamed = async (name: string): Promise<readonly Lease[] | undefined> =>
    (await unlessRefused(client.list(leases, { fieldSelector: `metadata.name=${name}` })))?.items;
  const [listed, ...leased] = await Promise.all([
    readDeployments(client),
    ...apps.map((app) => leasesNamed(`holdfast-${app}`)),
  ]);
  const judged = await Promise.all(
    apps.map(async (app, index) => {
      const renamed = await Promise.all(otherLeaseNames(app, listed).map(leasesNamed));
      const all = [leased[index], ...renamed];
      const seen = all.includes(undefined) ? undefined : all.flatMap((each = []) => each);
      const serverTime = client.serverTime()?.getTime() ?? Date.now();
      return [app, judgeAtWork(app, { leases: seen, deployments: listed }, serverTime)] as const;
    }),
  );
  const atWork = Object.fromEntries(judged) as Record<Name, AtWork>;
  return { atWork, deployed: listed === 'unread' ? undefined : listed };
}

/**
 * Returns the names of a controller's leases besides the default one, which the chart and an overlay for each
 * of several drivers set. Text that can't be a name is left out, since no process can hold a lease of it.
 */
function otherLeaseNames(app: AppName, listed: Found['deployments']): readonly string[] {
  const names = ownDeployments(app, listed).map((each) => leaseNameOf(app, appFlags(each, app)));
  return [...new Set(names)].filter((name) => name !== `holdfast-${app}` && /^[-.a-z0-9]+$/.test(name));
}
