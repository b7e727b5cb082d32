import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leases, namespaces, persistentVolumeClaims, statefulSets, storageClasses } from '@holdfast/core';
import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { eventually, startApp } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type FaultMatch,
} from '@holdfast/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';

/** Milliseconds. A busy machine might hold up a leader that is not frozen too. */
const renewDeadline = 5_000;
const election = [
  '--leader-elect-lease-duration=6s',
  `--leader-elect-renew-deadline=${String(renewDeadline)}ms`,
  '--leader-elect-retry-period=500ms',
];
const freezer = fileURLToPath(new URL('./fixtures/freeze.ts', import.meta.url));

let plane: EmbeddedControlPlane;
let folder: string;
let client: ApiClient;
const faults = createFaultPlan();

beforeAll(async () => {
  plane = await startEmbeddedControlPlane({
    faults,
    // Who protects claims here is the controller.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  folder = await mkdtemp(join(tmpdir(), 'holdfast-frozen-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry: new Registry(),
    program: 'frozen-leader',
    version: '0',
  });
});
afterAll(async () => {
  await client.close();
  await plane.stop();
  await rm(folder, { recursive: true });
});

/** The rights and wrongs of one namespace, by the test's own hand. */
interface Place {
  readonly namespace: string;
  createClaim(name: string): Promise<void>;
  finalizersOf(claim: string): Promise<readonly string[]>;
}

async function placeOf(): Promise<Place> {
  const { metadata } = await client.create(namespaces, undefined, { metadata: { generateName: 'frozen-' } });
  const namespace = metadata.name;
  return {
    namespace,
    createClaim: async (name) => {
      const resources = { requests: { storage: '1Gi' } };
      await client.create(persistentVolumeClaims, namespace, {
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources },
      });
    },
    finalizersOf: async (name) =>
      (await client.get(persistentVolumeClaims, { namespace, name })).metadata.finalizers ?? [],
  };
}

/** Holds back the next requests that match, unserved, until they are released. */
function hold(match: FaultMatch): { readonly held: () => number; release(): void } {
  const gate = Promise.withResolvers<undefined>();
  let held = 0;
  faults.on(match, {
    kind: 'call',
    run: async () => {
      held += 1;
      await gate.promise;
    },
  });
  return { held: () => held, release: () => gate.resolve(undefined) };
}

interface Leader {
  /** Stops it; when this resolves, it is stopped, or is so before it does anything else. */
  freeze(): Promise<void>;
  /** It goes on after its lease has ended and another has taken it. Resolves with its exit code. */
  thaw(): Promise<number | null>;
  /** Its writes since it was frozen that came to the API server, but for the lease and Events. */
  writes(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

async function lead(app: string, namespace: string, ...flags: readonly string[]): Promise<Leader> {
  const process = startApp(
    app,
    [
      `--kubeconfig=${join(folder, 'kubeconfig')}`,
      `--namespaces=${namespace}`,
      `--leader-elect-resource-namespace=${namespace}`,
      '--leader-elect-resource-name=lock',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...election,
      ...flags,
    ],
    { NODE_OPTIONS: `--no-warnings --import=${freezer}` },
  );
  const end = async (): Promise<void> => {
    await process.end('SIGKILL');
  };
  await eventually('it leads', () => process.stderr().includes('Became leader'));
  const probe = await process.address('health-probe');
  await eventually('it is ready', async () => (await fetch(`http://${probe}/readyz`)).ok);
  const { requests } = plane.apiServer;
  let frozenAt = 0;
  let before = 0;
  return {
    freeze: async () => {
      process.kill('SIGUSR2');
      await eventually('it is frozen', () => process.stderr().includes('stops itself'));
      frozenAt = performance.now();
      before = requests.total;
    },
    thaw: async () => {
      // It renewed its lease for the last time before it was frozen.
      await pass(frozenAt + renewDeadline - performance.now());
      const ref = { namespace, name: 'lock' };
      const { spec } = await client.get(leases, ref);
      await client.patch(leases, ref, [
        { op: 'test', path: '/spec', value: spec },
        { op: 'add', path: '/spec/holderIdentity', value: 'its successor' },
      ]);
      await eventually('it goes on', () => {
        process.kill('SIGCONT');
        return process.stderr().includes('goes on');
      });
      return (await process.exit).code;
    },
    writes: () =>
      requests.all
        .slice(before - requests.total)
        .filter(({ userAgent, verb }) => userAgent.startsWith(app) && !reads.has(verb))
        .filter(({ resource }) => resource !== 'leases' && resource !== 'events')
        .filter((request) => namespace === request.namespace)
        .map(({ verb, resource, name }) => `${verb} ${resource}/${name}`),
    [Symbol.asyncDispose]: end,
  };
}

const reads = new Set(['get', 'list', 'watch']);

describe('leader that was frozen beyond its lease', () => {
  const expectNoWrite = async (leader: Leader): Promise<void> => {
    const code = await leader.thaw();
    expect(leader.writes()).toStrictEqual([]);
    expect(code).toBe(1);
  };

  test.concurrent(
    'pvc-protection: a claim is made meanwhile -> not protected by it',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      await createClaim('first');
      await using leader = await lead('pvc-protection', namespace);
      await eventually('it works', async () => (await finalizersOf('first')).length > 0);
      await leader.freeze();
      await createClaim('second');
      await expectNoWrite(leader);
    },
    60_000,
  );

  test.concurrent(
    'pvc-protection: a write is answered meanwhile, and another waits for its turn -> the other is not sent',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      const first = hold({ verb: 'patch', namespace, name: 'first' });
      await using leader = await lead('pvc-protection', namespace, '--concurrent-syncs=1');
      await createClaim('first');
      await eventually('the first write is under way', () => first.held() > 0);
      await createClaim('second');
      await eventually('it knows of the second', async () => (await finalizersOf('second')).length === 0);
      await leader.freeze();
      first.release();
      await eventually('the first write is done', async () => (await finalizersOf('first')).length > 0);
      const code = await leader.thaw();
      // Sent before it was frozen.
      expect(leader.writes()).toEqual(['patch persistentvolumeclaims/first']);
      expect(code).toBe(1);
    },
    60_000,
  );

  test.concurrent(
    'pvc-protection: the look that shows a claim unused is answered meanwhile -> not released by it',
    async () => {
      const { namespace, createClaim, finalizersOf } = await placeOf();
      await createClaim('data');
      await using leader = await lead('pvc-protection', namespace);
      await eventually('it works', async () => (await finalizersOf('data')).length > 0);
      const look = hold({ verb: 'list', resource: 'pods', namespace });
      await client.delete(persistentVolumeClaims, { namespace, name: 'data' });
      await eventually('the look is under way', () => look.held() > 0);
      await leader.freeze();
      look.release();
      await expectNoWrite(leader);
    },
    60_000,
  );

  test.concurrent(
    'statefulset-pvc-retention: a set begins to delete its claims meanwhile -> not tied by it',
    async () => {
      const { namespace, createClaim } = await placeOf();
      await createClaim('data-web-0');
      const policy = (whenDeleted: string) => ({ whenDeleted, whenScaled: 'Retain' });
      await client.create(statefulSets, namespace, {
        metadata: { name: 'web' },
        spec: {
          replicas: 1,
          serviceName: 'web',
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
          },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
          persistentVolumeClaimRetentionPolicy: policy('Retain'),
        },
      });
      await using leader = await lead(
        'statefulset-pvc-retention',
        namespace,
        '--yield-to-stock-controller=false',
      );
      await leader.freeze();
      await client.patch(statefulSets, { namespace, name: 'web' }, [
        { op: 'replace', path: '/spec/persistentVolumeClaimRetentionPolicy', value: policy('Delete') },
      ]);
      await expectNoWrite(leader);
    },
    60_000,
  );

  test.concurrent(
    'retroactive-default-sc: the look at the default class is answered meanwhile -> no class is given by it',
    async () => {
      const { namespace, createClaim } = await placeOf();
      await createClaim('data');
      await using leader = await lead('retroactive-default-sc', namespace);
      const look = hold({ verb: 'list', resource: 'storageclasses', userAgent: /^retroactive-default-sc/ });
      await client.create(storageClasses, undefined, {
        metadata: {
          name: 'standard',
          annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
        },
        provisioner: 'example.com/none',
      });
      await eventually('the look is under way', () => look.held() > 0);
      await leader.freeze();
      look.release();
      await expectNoWrite(leader);
      await client.delete(storageClasses, { name: 'standard' });
    },
    60_000,
  );
});
