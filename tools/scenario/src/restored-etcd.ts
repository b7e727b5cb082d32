import { findTool } from '@holdfast/control-plane';
import { configMaps, leases, type Lease, type ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { BumpedVersions } from '@holdfast/testing';
import { startApp, type AppProcess } from './app-process.ts';
import { eventually } from './eventually.ts';

/* What suites share that restore etcd from a backup beneath an app. */

const sixHours = 6 * 3_600_000;

const etcdutl = findTool('etcdutl');
/** Why versions can not be bumped, for `describeUnless`; undefined if they can. */
export const bumpMissing = etcdutl.found ? undefined : etcdutl.reason;

/** Versions that continue above all that were assigned. */
export const bumpedVersions: BumpedVersions = {
  etcdutl: etcdutl.found ? etcdutl.path : '',
  by: 1_000_000_000,
};

/** Two processes of an app, one of which leads while the other stands by with warm caches. */
export interface Pair {
  /** Returns when somebody led again after a break, as the lease says; undefined if it does not. */
  ledAgain(): Promise<string | undefined>;
  /** The lease was renewed a moment ago, not when the backup was made. */
  renewLease(): Promise<void>;
  /** Waits until the leader has renewed the lease: a backup that has it as it was last left does not show a restore. */
  leaseRenewed(): Promise<void>;
  /**
   * Stops both processes in their tracks, lets `play` run, and lets them go on.
   *
   * @param play must not take longer than half a minute, or the lease is lost.
   */
  whileFrozen<T>(play: () => Promise<T>): Promise<T>;
  /** Writes objects that nobody watches, until the versions are above this one. */
  passVersion(version: string): Promise<void>;
  kill(): Promise<void>;
}

export interface PairOptions {
  /** The folder below `apps/`. */
  readonly app: string;
  readonly client: ApiClient;
  readonly kubeconfigFile: string;
  readonly flags: readonly string[];
}

/** Writes the lease of an app as its last leader left it six hours ago. */
export async function writeOldLease(client: ApiClient, app: string): Promise<void> {
  const { namespace, name } = leaseOf(app);
  await client.create(leases, namespace, {
    metadata: { name },
    spec: {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: microTime(Date.now() - sixHours),
    },
  });
}

/** Starts both processes. Their lease must be there. */
export function startPair({ app, client, kubeconfigFile, flags }: PairOptions): Pair {
  const lease = leaseOf(app);
  const running = new Set<AppProcess>();
  let isOver = false as boolean;
  /** A process that has lost its lease ends, and is started again as by the kubelet. */
  const start = (): void => {
    const started = startApp(app, [
      `--kubeconfig=${kubeconfigFile}`,
      '--leader-elect=true',
      `--leader-elect-resource-namespace=${lease.namespace}`,
      '--leader-elect-lease-duration=60s',
      '--leader-elect-renew-deadline=40s',
      '--leader-elect-retry-period=1s',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...flags,
    ]);
    running.add(started);
    void started.exit.then(() => {
      running.delete(started);
      if (!isOver) {
        start();
      }
    });
  };
  start();
  start();
  const signalAll = (signal: NodeJS.Signals): void => running.forEach((each) => each.kill(signal));
  const read = (): Promise<Lease> => client.get(leases, lease);

  return {
    ledAgain: async () => (await read()).metadata.annotations?.['holdfast.dev/led-again'],
    renewLease: async () => {
      await client.patch(leases, lease, [
        { op: 'add', path: '/spec/renewTime', value: microTime(Date.now()) },
      ]);
    },
    leaseRenewed: async () => {
      const { metadata } = await read();
      await eventually(
        'the lease is renewed',
        async () => (await read()).metadata.resourceVersion !== metadata.resourceVersion,
      );
    },
    whileFrozen: async (play) => {
      signalAll('SIGSTOP');
      try {
        return await play();
      } finally {
        signalAll('SIGCONT');
      }
    },
    passVersion: async (version) => {
      await eventually(`versions are above ${version}`, async () => {
        const written = await Promise.all(
          Array.from({ length: 50 }, () =>
            client.create(configMaps, 'default', { metadata: { generateName: 'passing-' } }),
          ),
        );
        return written.some(({ metadata }) => BigInt(metadata.resourceVersion) > BigInt(version));
      });
    },
    kill: async () => {
      isOver = true;
      await Promise.all([...running].map((each) => each.end('SIGKILL')));
    },
  };
}

function leaseOf(app: string): Required<ObjectRef> {
  return { namespace: 'kube-system', name: `holdfast-${app}` };
}

function microTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '000Z');
}
