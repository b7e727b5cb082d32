import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { configMaps, namespaces, type ConfigMap } from '@holdfast/core';
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
/** Long enough that a takeover within it can be told from one at once, on a slow machine too. */
const lease = 12_000;

/** The example operator as a process, one of several candidates for the lease. */
interface Candidate {
  readonly exit: Promise<number | null>;
  leads(): boolean;
  wrote(): boolean;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

const missing = controlPlaneMissing();
(missing === undefined ? describe : describe.skip)(`two processes ${missing ?? ''}`, () => {
  let plane: ControlPlane;
  let folder: string;
  let kubeconfig: string;
  let client: ApiClient;
  const candidates: Candidate[] = [];
  const witnesses: (() => Promise<void>)[] = [];

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
  }, 90_000);
  afterEach(async () => {
    for (const candidate of candidates.splice(0)) {
      candidate.kill('SIGKILL');
      await candidate.exit;
    }
    for (const end of witnesses.splice(0)) {
      await end();
    }
  });
  afterAll(async () => {
    await client.close();
    await plane.stop();
    await rm(folder, { recursive: true });
  }, 30_000);

  const candidate = (namespace: string): Candidate => {
    const child = spawn(process.execPath, [
      '--conditions=@holdfast/source',
      main,
      `--kubeconfig=${kubeconfig}`,
      `--namespaces=${namespace}`,
      `--leader-elect-resource-namespace=${namespace}`,
      `--leader-elect-lease-duration=${String(lease)}ms`,
      '--leader-elect-renew-deadline=8s',
      '--leader-elect-retry-period=500ms',
      '--kube-api-qps=50',
      '--kube-api-burst=1',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ]);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const made: Candidate = {
      exit: once(child, 'exit').then(([code]) => code as number | null),
      leads: () => log.includes('Became leader'),
      wrote: () => log.includes('Checksum written'),
      kill: (signal) => child.kill(signal),
    };
    candidates.push(made);
    return made;
  };

  const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    const deadline = performance.now() + 40_000;
    while (!(await holds())) {
      if (performance.now() > deadline) {
        throw new Error(`waited 40 s in vain until ${what}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  test.each<readonly ['SIGKILL' | 'SIGTERM', string]>([
    ['SIGKILL', 'the other leads when the lease has run out'],
    ['SIGTERM', 'the other leads at once'],
  ] as const)(
    'leader ends by %s in the middle of its work -> %s, and every object is written once',
    async (signal) => {
      const { name: namespace } = (
        await client.create(namespaces, undefined, { metadata: { generateName: 'takeover-' } })
      ).metadata;
      const writes = new Map<string, number>();
      const witness = createInformer<ConfigMap>({
        client,
        resource: configMaps,
        namespaces: [namespace],
        logger: pino({ level: 'silent' }),
        metrics: createInformerMetrics(new Registry()),
      });
      witness.addHandler({
        updated: ({ metadata }) => writes.set(metadata.name, (writes.get(metadata.name) ?? 0) + 1),
      });
      const stop = new AbortController();
      const watching = witness.run(stop.signal);
      witnesses.push(() => {
        stop.abort(new Error('end of the test'));
        return watching;
      });
      await witness.synced(stop.signal);

      const count = 150;
      const first = candidate(namespace);
      await until('the first leads', first.leads);
      const second = candidate(namespace);
      for (let index = 0; index < count; index++) {
        const metadata = { name: `map-${String(index)}`, labels };
        await client.create(configMaps, namespace, { metadata, data: { index: String(index) } });
      }
      await until('some are written', () => writes.size >= 10);
      const ended = performance.now();
      first.kill(signal);
      const code = await first.exit;
      const atTheEnd = writes.size;
      await until('the second leads', second.leads);
      const vacancy = performance.now() - ended;
      await until('all are written', () => writes.size === count);

      expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
      expect(atTheEnd).toBeLessThan(count);
      expect(second.wrote()).toBe(true);
      // Who lets go of the lease is not waited for. From the dead it is taken when it has run out for who stood by, which last
      // looked a second ago; the rest is for a busy machine.
      expect(vacancy).toBeLessThan(signal === 'SIGTERM' ? lease / 2 : lease + 4_000);
      const { items } = await client.list(configMaps, { namespace });
      const wanted = items.filter(({ metadata }) => metadata.labels !== undefined);
      expect(wanted.filter(({ metadata }) => metadata.annotations?.[annotation] !== undefined).length).toBe(
        count,
      );
      // Longer than any look at what is done already would take.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect([...writes].filter(([name, times]) => name.startsWith('map-') && times !== 1)).toEqual([]);
      stop.abort(new Error('end of the test'));
      await watching;
    },
    120_000,
  );
});
