import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps, leases, namespaces, type ConfigMap, type Lease } from '@holdfast/core';
import {
  connect,
  createInformer,
  createInformerMetrics,
  loadKubeConfig,
  type ApiClient,
} from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Registry } from 'prom-client';

const main = fileURLToPath(new URL('../../examples/config-checksum/src/main.ts', import.meta.url));
const annotation = 'checksum.example.com/sha256';
const labels = { 'checksum.example.com/wanted': 'yes' };

/** How long a lease that nobody renews keeps the others waiting, milliseconds. */
const lease = 5_000;

/** The example operator as a process, one of several candidates for the lease. */
interface Candidate {
  readonly exit: Promise<number | null>;
  leads(): boolean;
  wrote(): boolean;
  /** Its metric, all label values together; undefined when it is not served yet. */
  metric(name: string): Promise<number | undefined>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Declares the story of a lease that goes from process to process, on whatever control plane is chosen. */
export function testTakeover(): void {
  const missing = controlPlaneMissing();
  (missing === undefined ? describe : describe.skip)(`three processes ${missing ?? ''}`, () => {
    let plane: ControlPlane;
    let folder: string;
    let kubeconfig: string;
    let client: ApiClient;
    let namespace: string;
    const stop = new AbortController();
    const candidates: Candidate[] = [];
    const witnesses: Promise<void>[] = [];

    beforeAll(async () => {
      plane = await startControlPlane();
      folder = await mkdtemp(join(tmpdir(), 'holdfast-takeover-'));
      kubeconfig = join(folder, 'kubeconfig');
      await writeFile(kubeconfig, plane.kubeconfig);
      client = connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig }),
        registry: new Registry(),
        program: 'takeover',
        version: '0',
      });
      const created = await client.create(namespaces, undefined, { metadata: { generateName: 'takeover-' } });
      namespace = created.metadata.name;
    }, 90_000);
    afterEach(async () => {
      for (const candidate of candidates.splice(0)) {
        candidate.kill('SIGKILL');
        await candidate.exit;
      }
    });
    afterAll(async () => {
      stop.abort(new Error('end of the test'));
      await Promise.all(witnesses);
      await client.close();
      await plane.stop();
      await rm(folder, { recursive: true });
    }, 30_000);

    /** @param flags of leader election; default: the operator's own. */
    const candidate = (...flags: readonly string[]): Candidate => {
      const child = spawn(process.execPath, [
        '--conditions=@holdfast/source',
        main,
        `--kubeconfig=${kubeconfig}`,
        `--namespaces=${namespace}`,
        `--leader-elect-resource-namespace=${namespace}`,
        '--leader-elect-retry-period=200ms',
        '--kube-api-qps=50',
        '--kube-api-burst=1',
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=0',
        ...flags,
      ]);
      let log = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
      const made: Candidate = {
        exit: once(child, 'exit').then(([code]) => code as number | null),
        leads: () => log.includes('Became leader'),
        wrote: () => log.includes('Checksum written'),
        metric: async (name) => {
          const address = /"address":"([^"]+)"/.exec(log)?.[1];
          if (address === undefined) {
            return undefined;
          }
          const text = await (await fetch(`http://${address}/metrics`)).text();
          const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`));
          return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
        },
        kill: (signal) => child.kill(signal),
      };
      candidates.push(made);
      return made;
    };

    const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
      const deadline = performance.now() + 60_000;
      while (!(await holds())) {
        if (performance.now() > deadline) {
          throw new Error(`waited 60 s in vain until ${what}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    const createMaps = (from: number, to: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: to - from }, (_, index) => {
          const name = `map-${from + index}`;
          return client.create(configMaps, namespace, { metadata: { name, labels }, data: { name } });
        }),
      );

    /** Counts the writes of each map, and keeps the lease as each of its holders, or nobody, left it. */
    const witness = async (): Promise<{
      readonly writes: ReadonlyMap<string, number>;
      readonly terms: readonly NonNullable<Lease['spec']>[];
    }> => {
      const options = {
        client,
        namespaces: [namespace],
        logger: pino({ level: 'silent' }),
        metrics: createInformerMetrics(new Registry()),
      };
      const writes = new Map<string, number>();
      const maps = createInformer<ConfigMap>({
        ...options,
        resource: configMaps,
        labelSelector: Object.keys(labels).join(),
      });
      maps.addHandler({
        updated: ({ metadata }) => writes.set(metadata.name, (writes.get(metadata.name) ?? 0) + 1),
      });
      const terms: NonNullable<Lease['spec']>[] = [];
      const locks = createInformer<Lease>({ ...options, resource: leases });
      const onLease = ({ spec }: Lease): void => {
        if (spec !== undefined) {
          if (terms.at(-1)?.holderIdentity === spec.holderIdentity) {
            terms.pop();
          }
          terms.push(spec);
        }
      };
      locks.addHandler({ added: onLease, updated: (_before, after) => onLease(after) });
      for (const informer of [maps, locks]) {
        witnesses.push(informer.run(stop.signal));
        await informer.synced(stop.signal);
      }
      return { writes, terms };
    };

    /** Ends a leader with work before it that it cannot have done: it is not made before the signal is sent. */
    const endLeader = async (
      leader: Candidate,
      signal: 'SIGTERM' | 'SIGKILL',
      newMaps: readonly [number, number],
    ): Promise<number | null> => {
      const making = createMaps(...newMaps);
      leader.kill(signal);
      await making;
      return leader.exit;
    };

    test('leader ends by SIGTERM, its successor by SIGKILL -> followed at once, and when the lease has run out; every object is written once', async () => {
      const { writes, terms } = await witness();
      await createMaps(0, 20);

      const first = candidate();
      await until('the first leads', first.leads);
      const second = candidate(
        `--leader-elect-lease-duration=${lease}ms`,
        `--leader-elect-renew-deadline=${0.8 * lease}ms`,
      );
      await until('some are written', () => writes.size >= 5);
      expect(await endLeader(first, 'SIGTERM', [20, 40])).toBe(0);

      await until('the second leads', second.leads);
      const third = candidate();
      await until('the second wrote', second.wrote);
      expect(await endLeader(second, 'SIGKILL', [40, 50])).toBeNull();

      await until('the third leads', third.leads);
      await until('all are written', () => writes.size === 50);
      await until('the third has looked at all', async () => {
        const reconciles = await third.metric('controller_runtime_reconcile_total');
        const waiting = await third.metric('workqueue_depth');
        return (reconciles ?? 0) >= 50 && waiting === 0;
      });
      expect([...writes].filter(([, times]) => times !== 1)).toStrictEqual([]);
      const { items } = await client.list(configMaps, {
        namespace,
        labelSelector: Object.keys(labels).join(),
      });
      expect(items.filter(({ metadata }) => metadata.annotations?.[annotation] !== undefined)).toHaveLength(
        50,
      );

      // A leader that ends in order leaves the lease without a holder; that of a dead one is taken, and not before it
      // has run out.
      const [held, released, taken, inherited, ...more] = terms;
      expect(more).toStrictEqual([]);
      expect(released?.holderIdentity).toBe('');
      expect(new Set([held, taken, inherited].map((term) => term?.holderIdentity)).size).toBe(3);
      const vacancy = Date.parse(inherited?.acquireTime ?? '') - Date.parse(taken?.renewTime ?? '');
      expect(vacancy).toBeGreaterThanOrEqual(lease - 50);
    }, 120_000);
  });
}
