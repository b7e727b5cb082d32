import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  nodes,
  persistentVolumeClaims,
  pods,
  statefulSets,
  type ConfigMap,
} from '@holdfast/core';
import { createFaultPlan, type FaultPlan } from '@holdfast/apiserver';
import { createApiClient, type ApiClient } from '../../src/controllers/api-client.ts';
import {
  allIdle,
  startController,
  type Controller,
  type RunningController,
  type StartOptions,
} from '../../src/controllers/controller.ts';
import { kubelet } from '../../src/controllers/kubelet.ts';
import { statefulSetController } from '../../src/controllers/stateful-set/stateful-set-controller.ts';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import { createFakeClock, settled, type FakeClock } from '../../src/fake-clock.ts';

const namespace = 'default';

let clock: FakeClock;
let plane: EmbeddedControlPlane;
let client: ApiClient;
let faults: FaultPlan;
let running: RunningController[];

beforeEach(async () => {
  // Timestamps have no fractions of a second, so this begins with none.
  clock = createFakeClock(Date.UTC(2030, 0, 1));
  faults = createFaultPlan(1);
  plane = await startEmbeddedControlPlane({ now: clock.now, faults });
  client = createApiClient(plane.kubeconfig, 'test');
  running = [];
});
afterEach(async () => {
  client.close();
  await Promise.all(running.map((controller) => controller.stop().catch(() => undefined)));
  await plane.stop();
});

async function start(controller: Controller, options?: StartOptions): Promise<RunningController> {
  const started = await startController(plane, controller, options);
  running.push(started);
  return started;
}

/** The test's own config maps by name: the API server makes one for itself in kube-system. */
const ownName = ({ object: { metadata } }: { readonly object: ConfigMap }): readonly string[] =>
  metadata.namespace === namespace ? [metadata.name] : [];

/** Records the names of the config maps that it looks at. */
function recorder(seen: string[], act: (name: string) => void = () => undefined): Controller {
  return {
    name: 'recorder',
    async setUp({ watch }) {
      await watch(configMaps, ownName);
      return (name) => {
        seen.push(name);
        act(name);
        return Promise.resolve(undefined);
      };
    },
  };
}

const make = (name: string): Promise<unknown> => client.create(configMaps, { metadata: { name, namespace } });

describe('running controller', () => {
  test('idle right after a write -> it has seen the write', async () => {
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    for (const name of ['a', 'b', 'c']) {
      await make(name);
      await controller.idle();
      expect(seen.at(-1)).toBe(name);
    }
  });

  test('nothing written since its first list -> idle, and nothing is listed again', async () => {
    await make('a');
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    await controller.idle();
    expect(seen).toEqual(['a']);
    expect(plane.apiServer.requests.count({ verb: 'list', resource: 'configmaps' })).toBe(1);
  });

  test('paused -> looks at nothing, and at everything once resumed', async () => {
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    await controller.pause();
    await make('a');
    await controller.idle();
    expect(seen).toStrictEqual([]);
    controller.resume();
    await controller.idle();
    expect(seen).toEqual(['a']);
  });

  test('API server restarted -> it goes on', async () => {
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    await plane.restartApiServer();
    await make('a');
    await controller.idle();
    expect(seen).toContain('a');
  });

  test('history compacted while the watch was cut -> it lists again', async () => {
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    plane.apiServer.cutWatches();
    await make('a');
    plane.apiServer.compact();
    await controller.idle();
    expect(seen).toContain('a');
  });

  test('busy for longer than its patience -> idle names the key', async () => {
    await make('a');
    const controller = await start(recorder([]), { delay: 60_000, patience: 20 });
    await expect(controller.idle()).rejects.toThrow('recorder is not idle after 20 ms: busy with a');
  });

  test('a deadline is ahead -> idle all the same; it passes -> the key is looked at', async () => {
    const seen: string[] = [];
    const patient: Controller = {
      name: 'patient',
      async setUp({ watch }) {
        await watch(configMaps, ownName);
        return (name) => {
          seen.push(name);
          return Promise.resolve(seen.length === 1 ? { deadlineIn: 600_000 } : undefined);
        };
      },
    };
    const controller = await start(patient, clock);
    await make('a');
    await controller.idle();
    expect(seen).toEqual(['a']);
    await clock.advance(600_000);
    await controller.idle();
    expect(seen).toEqual(['a', 'a']);
  });

  test('written and not seen yet -> the stage says so, until the event has come', async () => {
    const answers: boolean[] = [];
    const writer: Controller = {
      name: 'writer',
      async setUp(stage) {
        await stage.watch(configMaps, ownName);
        return async (name) => {
          if (name === 'a') {
            const { metadata } = await stage.client.create(configMaps, {
              metadata: { name: 'b', namespace },
            });
            const next = String(Number(metadata.resourceVersion) + 1);
            answers.push(stage.hasSeen(configMaps, next));
            return undefined;
          }
          answers.push(stage.hasSeen(configMaps, '1'));
          return undefined;
        };
      },
    };
    const controller = await start(writer);
    await make('a');
    await controller.idle();
    expect(answers).toEqual([false, true]);
  });

  test('work without an end -> idle rejects all the same', async () => {
    const restless: Controller = {
      name: 'restless',
      async setUp({ watch }) {
        await watch(configMaps, ownName);
        return () => Promise.resolve(1);
      },
    };
    await make('a');
    const controller = await start(restless, { patience: 5 });
    await expect(controller.idle()).rejects.toThrow('restless is not idle after 5 ms: busy with a');
    expect(controller.looks).toBeGreaterThan(1);
  });

  test('defect in a controller -> idle and stop throw it', async () => {
    const controller = await start(
      recorder([], () => {
        throw new TypeError('defect');
      }),
    );
    await make('a');
    await expect(controller.idle()).rejects.toThrow('defect');
    await expect(controller.stop()).rejects.toThrow('defect');
  });

  test('stopped -> it looks at nothing more', async () => {
    const seen: string[] = [];
    const controller = await start(recorder(seen));
    await controller.stop();
    await make('a');
    await controller.idle();
    expect(seen).toStrictEqual([]);
  });
});

describe('kubelet', () => {
  const spec = { containers: [{ name: 'c', image: 'example.com/none' }] };
  const read = () => client.get(pods, { namespace, name: 'p' });

  test('claim of the pod not bound, bound claims needed -> not scheduled', async () => {
    const controller = await start(kubelet({ needsBoundClaims: true }));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }];
    await client.create(pods, { metadata: { name: 'p', namespace }, spec: { ...spec, volumes } });
    await controller.idle();
    expect((await read())?.spec?.nodeName).toBeUndefined();
  });

  test('a scheduler runs -> a pod is left to it, and started once it is bound to a node with room', async () => {
    const controller = await start(kubelet({ schedules: false }));
    await client.create(pods, { metadata: { name: 'p', namespace }, spec });
    await controller.idle();
    expect(await read()).toMatchObject({ status: { phase: 'Pending' } });
    expect((await read())?.spec?.nodeName).toBeUndefined();

    const node = await client.get(nodes, { name: 'node-1' });
    expect(node?.status).toMatchObject({ allocatable: { pods: '10k' } });
    await client.bind({ name: 'p', namespace }, 'node-1');
    await controller.idle();
    expect(await read()).toMatchObject({ status: { phase: 'Running' } });
  });

  test('node changed by a controller before its status is written -> ready all the same', async () => {
    const changed = { metadata: { annotations: { 'example.com/seen': 'true' } } };
    const change = async (): Promise<void> => {
      await plane.apiServer.handle(
        'PATCH',
        '/api/v1/nodes/node-1',
        JSON.stringify(changed),
        'application/merge-patch+json',
      );
    };
    faults.on({ resource: 'nodes', subresource: 'status' }, { kind: 'call', run: change }, { nth: 1 });
    await start(kubelet());
    expect(await client.get(nodes, { name: 'node-1' })).toMatchObject({
      ...changed,
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });

  test('condition of another writer, written just before the status -> is there all the time', async () => {
    const own = { type: 'example.com/Own', status: 'True' };
    const withOwn = { conditions: expect.arrayContaining([expect.objectContaining(own)]) };
    const change = async (): Promise<void> => {
      await plane.apiServer.handle(
        'PATCH',
        `/api/v1/namespaces/${namespace}/pods/p/status`,
        JSON.stringify({ status: { conditions: [own] } }),
        'application/merge-patch+json',
      );
    };
    let atNextWrite: unknown;
    const look = async (): Promise<void> => {
      atNextWrite = (await read())?.status;
    };
    const writes = { resource: 'pods', subresource: 'status' };
    faults.on(writes, { kind: 'call', run: change }, { nth: 1 });
    faults.on(writes, { kind: 'call', run: look }, { nth: 2 });
    const controller = await start(kubelet());
    await client.create(pods, { metadata: { name: 'p', namespace }, spec });
    await controller.idle();
    expect(atNextWrite).toMatchObject(withOwn);
    expect(await read()).toMatchObject({ status: { phase: 'Running', ...withOwn } });
  });

  test('pod ignores SIGTERM -> it ends after its grace period, not before', async () => {
    const controller = await start(kubelet({ ends: 'after the grace period' }), clock);
    await client.create(pods, {
      metadata: { name: 'p', namespace },
      spec: { ...spec, terminationGracePeriodSeconds: 30 },
    });
    await controller.idle();
    await client.delete(pods, { namespace, name: 'p' });
    while (clock.pending === 0) {
      await settled();
    }
    await clock.advance(29_999);
    expect(await read()).toMatchObject({ status: { phase: 'Running' } });
    await clock.advance(1);
    await controller.idle();
    expect(await read()).toBeUndefined();
  });

  test('pod held by a finalizer, deleted -> it is over, and stays', async () => {
    const controller = await start(kubelet());
    await client.create(pods, {
      metadata: { name: 'p', namespace, finalizers: ['example.com/held'] },
      spec,
    });
    await controller.idle();
    await client.delete(pods, { namespace, name: 'p' });
    await controller.idle();
    expect(await read()).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0 },
      status: { phase: 'Succeeded' },
    });
  });
});

test('retention off, policy Delete -> claims get no reference', async () => {
  const controllers = [await start(statefulSetController({ retention: false })), await start(kubelet())];
  await client.create(statefulSets, {
    metadata: { name: 's', namespace },
    spec: {
      replicas: 1,
      serviceName: 's',
      selector: { matchLabels: { app: 's' } },
      template: {
        metadata: { labels: { app: 's' } },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    },
  });
  await allIdle(controllers);
  const claim = await client.get(persistentVolumeClaims, { namespace, name: 'data-s-0' });
  expect(claim).toBeDefined();
  expect(claim?.metadata.ownerReferences).toBeUndefined();
});
