import { afterAll, beforeAll, expect } from '@jest/globals';
import { leases, namespaces, persistentVolumeClaims } from '@holdfast/core';
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

/** The rights and wrongs of one namespace, by the test's own hand. */
export interface Place {
  readonly namespace: string;
  createClaim(name: string): Promise<void>;
  finalizersOf(claim: string): Promise<readonly string[]>;
}

export interface Leader {
  /** Stops it; when this resolves, it is stopped, or is so before it does anything else. */
  freeze(): Promise<void>;
  /** It goes on after its lease has ended and another has taken it. Resolves with its exit code. */
  thaw(): Promise<number | null>;
  /** Its writes since it was frozen that came to the API server, but for the lease and Events. */
  writes(): readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

const reads = new Set(['get', 'list', 'watch']);

/** A control plane for the tests of a file, and what they do with it. */
export interface LeaderTests {
  readonly client: () => ApiClient;
  readonly placeOf: () => Promise<Place>;
  /** Holds back the next requests that match, unserved, until they are released. */
  readonly hold: (match: FaultMatch) => { readonly held: () => number; release(): void };
  readonly lead: (app: string, namespace: string, ...flags: readonly string[]) => Promise<Leader>;
}

export function useLeaders(): LeaderTests {
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

  async function placeOf(): Promise<Place> {
    const { metadata } = await client.create(namespaces, undefined, {
      metadata: { generateName: 'frozen-' },
    });
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

  return { client: () => client, placeOf, hold, lead };
}

/** It goes on after its lease has ended, and writes nothing but ends. */
export async function expectNoWrite(leader: Leader): Promise<void> {
  const code = await leader.thaw();
  expect(leader.writes()).toStrictEqual([]);
  expect(code).toBe(1);
}
