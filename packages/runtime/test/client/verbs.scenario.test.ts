import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  leases,
  namespaces,
  persistentVolumes,
  pods,
  serviceAccounts,
  statefulSets,
  type ApiResource,
  type ConfigMap,
  type KubernetesObject,
} from '@holdfast/core';
import {
  connect,
  createProjection,
  evict,
  find,
  loadKubeConfig,
  podBinding,
  serviceAccountToken,
  writeOutcome,
  type ApiWarning,
  type WritingClient,
} from '@holdfast/runtime';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';

/* Every verb beside guarded patches, on whatever control plane is chosen, and as a dry run. */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;

suite('verbs', () => {
  let plane: ControlPlane;
  let client: WritingClient;
  let dry: WritingClient;
  let folder: string;
  let namespace: string;
  const warnings: ApiWarning[] = [];

  beforeAll(async () => {
    plane = await startControlPlane();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-verbs-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig);
    const open = (dryRun: boolean): WritingClient =>
      connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig }),
        ...{ registry: new Registry(), program: 'verbs', version: '0', dryRun },
        onWarning: (warning) => warnings.push(warning),
      });
    client = open(false);
    dry = open(true);
  }, 90_000);

  afterAll(async () => {
    await client.close();
    await dry.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  beforeEach(async () => {
    warnings.length = 0;
    const { metadata } = await client.create(namespaces, undefined, { metadata: { generateName: 'verbs-' } });
    namespace = metadata.name;
  });

  const ref = (name = 'data') => ({ namespace, name });
  const makeMap = (name = 'data', draft: { labels?: Record<string, string>; finalizers?: string[] } = {}) =>
    client.create(configMaps, namespace, { metadata: { name, ...draft }, data: { colour: 'blue' } });
  const read = (name = 'data') => find(client, configMaps, ref(name));
  const makePod = (name: string) =>
    client.create(pods, namespace, {
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'pause' }] },
    });
  const another = { uid: '00000000-0000-0000-0000-000000000000' };

  describe('apply', () => {
    const byUs = { fieldManager: 'verbs-test' };

    test('nothing there -> made; the same again -> left as it is; less -> what is left out is gone', async () => {
      const first = await client.apply(configMaps, ref(), { data: { a: '1', b: '2' } }, byUs);
      expect(first).toMatchObject({ kind: 'written', object: { data: { a: '1', b: '2' }, metadata: ref() } });
      const again = await client.apply(configMaps, ref(), { data: { a: '1', b: '2' } }, byUs);
      expect(again).toEqual(first);
      const less = await client.apply(configMaps, ref(), { data: { a: '1' } }, byUs);
      expect(less).toMatchObject({ kind: 'written', object: { data: { a: '1' } } });
      expect((await read())?.data).toEqual({ a: '1' });
    });

    test('others own the fields -> conflict that names them; forced -> taken', async () => {
      await client.apply(configMaps, ref(), { data: { a: '1', b: '1' } }, { fieldManager: 'the "first"' });
      await client.mergePatch(configMaps, ref(), { data: { c: '1' } });
      const wanted = { data: { a: '2', b: '1', c: '2' } };
      const refused = await client.apply(configMaps, ref(), wanted, byUs);
      expect(refused).toMatchObject({ kind: 'conflict' });
      const conflicts = refused.kind === 'conflict' ? refused.conflicts : [];
      expect(conflicts.map(({ field, manager }) => [field, manager]).toSorted()).toEqual([
        ['.data.a', 'the "first"'],
        ['.data.c', 'verbs'],
      ]);
      expect((await read())?.data).toEqual({ a: '1', b: '1', c: '1' });
      const forced = await client.apply(configMaps, ref(), wanted, { ...byUs, force: true });
      expect(forced).toMatchObject({ kind: 'written', object: wanted });
    });

    test('another object, or none, has the name by now -> outdated', async () => {
      const guarded = { metadata: another, data: {} };
      expect(await client.apply(configMaps, ref(), guarded, byUs)).toMatchObject({ kind: 'outdated' });
      await makeMap();
      expect(await client.apply(configMaps, ref(), guarded, byUs)).toMatchObject({ kind: 'outdated' });
      expect((await read())?.data).toEqual({ colour: 'blue' });
    });

    test('version of an object that is gone -> made again; with its UID -> outdated', async () => {
      const { metadata } = await makeMap();
      const { uid, resourceVersion } = metadata;
      await client.delete(configMaps, ref());
      const guarded = { metadata: { uid, resourceVersion }, data: {} };
      expect(await client.apply(configMaps, ref(), guarded, byUs)).toMatchObject({ kind: 'outdated' });
      expect(
        await client.apply(configMaps, ref(), { metadata: { resourceVersion }, data: {} }, byUs),
      ).toMatchObject({ kind: 'written' });
    });

    test('no such namespace -> gone', async () => {
      const nowhere = { namespace: `${namespace}-not`, name: 'data' };
      expect(await client.apply(configMaps, nowhere, {}, byUs)).toEqual({ kind: 'gone' });
    });

    test('status -> that alone, read as far as the projection says', async () => {
      const template = {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'pause' }] },
      };
      await client.create(statefulSets, namespace, {
        metadata: { name: 'web' },
        spec: { serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template },
      });
      const projection = createProjection(statefulSets, { status: { replicas: true } });
      const configuration = { spec: { replicas: 9 }, status: { replicas: 3 } };
      const options = { ...byUs, subresource: 'status', projection };
      expect(await client.apply(statefulSets, ref('web'), configuration, options)).toMatchObject({
        kind: 'written',
        object: { status: { replicas: 3 } },
      });
      expect(await client.get(statefulSets, ref('web'))).toMatchObject({ spec: { replicas: 1 } });
    });

    test('refused for good -> thrown', async () => {
      const bad = { metadata: { labels: { 'not a label': 'x' } } };
      await expect(client.apply(configMaps, ref(), bad, byUs)).rejects.toMatchObject({ code: 422 });
    });
  });

  describe('merge patch', () => {
    test('values, null and nothing -> replaced, gone and left', async () => {
      await client.create(configMaps, namespace, {
        metadata: { name: 'data' },
        data: { a: '1', b: '1', c: '1' },
      });
      const patch = { data: { a: '2', b: null, c: undefined } };
      expect(await client.mergePatch(configMaps, ref(), patch)).toMatchObject({
        kind: 'written',
        object: { data: { a: '2', c: '1' } },
      });
    });

    test('guard that does not hold -> outdated, and nothing is written', async () => {
      const { metadata } = await makeMap();
      const { resourceVersion } = metadata;
      const patched = await client.mergePatch(configMaps, ref(), {
        data: { colour: 'red' },
        metadata: { resourceVersion },
      });
      expect(writeOutcome(patched)).toBe('success');
      for (const guard of [another, { resourceVersion }]) {
        const late = await client.mergePatch(configMaps, ref(), {
          metadata: guard,
          data: { colour: 'green' },
        });
        expect(late).toMatchObject({ kind: 'outdated' });
      }
      expect((await read())?.data).toEqual({ colour: 'red' });
    });

    test('no such object -> gone', async () => {
      expect(await client.mergePatch(configMaps, ref('none'), { data: {} })).toEqual({ kind: 'gone' });
    });

    test('field that the kind has not -> left out, and warned of', async () => {
      await makeMap();
      const untyped: ApiResource<KubernetesObject> = configMaps;
      await client.mergePatch(untyped, ref(), { date: { a: 'b' } });
      expect(warnings.map(({ text }) => text)).toEqual(['unknown field "date"']);
    });
  });

  describe('update', () => {
    test('changed -> written, with what the type does not know', async () => {
      await makeMap();
      const updated = await client.update(configMaps, ref(), (map) => ({
        ...map,
        data: { ...map.data, size: 'L' },
      }));
      expect(updated).toMatchObject({ kind: 'written', object: { data: { colour: 'blue', size: 'L' } } });
    });

    test('nothing to change -> nothing is sent', async () => {
      const map = await makeMap();
      for (const change of [() => undefined, (same: ConfigMap) => same]) {
        expect(await client.update(configMaps, ref(), change)).toEqual({ kind: 'unchanged', object: map });
      }
    });

    test('no such object -> gone', async () => {
      expect(await client.update(configMaps, ref('none'), (map) => map)).toEqual({ kind: 'gone' });
    });

    test('five at once, each tried again while it is outdated -> none is lost', async () => {
      await client.create(leases, namespace, { metadata: { name: 'data' }, spec: { leaseTransitions: 0 } });
      const increase = async (): Promise<void> => {
        const updated = await client.update(leases, ref(), (lease) => ({
          ...lease,
          spec: { ...lease.spec, leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1 },
        }));
        if (updated.kind === 'outdated') {
          await increase();
        }
      };
      await Promise.all(Array.from({ length: 5 }, increase));
      expect((await client.get(leases, ref())).spec?.leaseTransitions).toBe(5);
    });

    test('status -> that alone', async () => {
      await makePod('web');
      const updated = await client.update(
        pods,
        ref('web'),
        (pod) => ({
          ...pod,
          spec: { ...pod.spec, containers: pod.spec?.containers ?? [], activeDeadlineSeconds: 5 },
          status: { ...pod.status, message: 'hi' },
        }),
        { subresource: 'status' },
      );
      expect(updated).toMatchObject({ kind: 'written', object: { status: { message: 'hi' } } });
      expect((await client.get(pods, ref('web'))).spec?.activeDeadlineSeconds).toBeUndefined();
    });
  });

  describe('delete of a collection', () => {
    const names = async () =>
      (await client.list(configMaps, { namespace, labelSelector: 'verbs' })).items.map(
        ({ metadata }) => metadata.name,
      );
    const makeThree = async (): Promise<void> => {
      await makeMap('a', { labels: { verbs: 'yes' } });
      await makeMap('b', { labels: { verbs: 'no' } });
      await makeMap('c', { labels: { verbs: 'yes' }, finalizers: ['example.com/keep'] });
    };

    test('by label -> those, of which one with a finalizer is marked', async () => {
      await makeThree();
      await client.deleteCollection(configMaps, namespace, { labelSelector: 'verbs=yes' });
      expect(await names()).toEqual(['b', 'c']);
      expect((await read('c'))?.metadata.deletionTimestamp).toBeDefined();
      await client.mergePatch(configMaps, ref('c'), { metadata: { finalizers: null } });
    });

    test('by field -> that one', async () => {
      await makeThree();
      await client.deleteCollection(configMaps, namespace, { fieldSelector: 'metadata.name=b' });
      expect(await names()).toEqual(['a', 'c']);
      await client.mergePatch(configMaps, ref('c'), { metadata: { finalizers: [] } });
    });

    test('all of the namespace -> none of another', async () => {
      const { metadata } = await client.create(namespaces, undefined, {
        metadata: { generateName: 'verbs-' },
      });
      const elsewhere = { namespace: metadata.name, name: 'data' };
      await client.apply(configMaps, elsewhere, {}, { fieldManager: 'verbs-test' });
      await makeMap();
      await client.deleteCollection(configMaps, namespace, 'all', { propagationPolicy: 'Background' });
      expect(await read()).toBeUndefined();
      expect(await find(client, configMaps, elsewhere)).toBeDefined();
    });

    test('of the cluster, by label -> that one', async () => {
      const volume = (name: string) => ({
        metadata: { name, labels: { verbs: name }, finalizers: [] },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/tmp/none' },
        },
      });
      const [a, b] = [`${namespace}-a`, `${namespace}-b`];
      await client.create(persistentVolumes, undefined, volume(a));
      await client.create(persistentVolumes, undefined, volume(b));
      await client.deleteCollection(persistentVolumes, undefined, { labelSelector: `verbs=${a}` });
      const left = await client.list(persistentVolumes, { labelSelector: `verbs in (${a},${b})` });
      const kept = left.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      expect(kept.map(({ metadata }) => metadata.name)).toEqual([b]);
    });
  });

  describe('create at a subresource', () => {
    const toNode = { target: { kind: 'Node', name: 'node-1' } };

    test('binding -> bound; again -> outdated; no such pod -> gone', async () => {
      await makePod('web');
      expect(await client.createSubresource(podBinding, ref('web'), toNode)).toMatchObject({
        kind: 'written',
      });
      expect((await client.get(pods, ref('web'))).spec?.nodeName).toBe('node-1');
      expect(await client.createSubresource(podBinding, ref('web'), toNode)).toMatchObject({
        kind: 'outdated',
      });
      expect(await client.createSubresource(podBinding, ref('none'), toNode)).toEqual({ kind: 'gone' });
    });

    test('eviction of another pod of the name -> outdated; of this one -> gone, and so it is the next time', async () => {
      const { metadata } = await makePod('web');
      // For a pod that waits, kube-apiserver would try again for ten seconds.
      await client.mergePatch(pods, ref('web'), { status: { phase: 'Running' } }, { subresource: 'status' });
      expect(await evict(client, ref('web'), { preconditions: another })).toMatchObject({ kind: 'outdated' });
      const { uid } = metadata;
      expect(
        await evict(client, ref('web'), { preconditions: { uid }, gracePeriodSeconds: 0 }),
      ).toMatchObject({ kind: 'written' });
      expect(await find(client, pods, ref('web'))).toBeUndefined();
      expect(await evict(client, ref('web'))).toEqual({ kind: 'gone' });
    });

    test('token -> issued', async () => {
      await client.create(serviceAccounts, namespace, { metadata: { name: 'robot' } });
      const issued = await client.createSubresource(serviceAccountToken, ref('robot'), {
        spec: { expirationSeconds: 600 },
      });
      const token = issued.kind === 'written' ? (issued.object.status?.token ?? '') : '';
      expect(token.split('.')).toHaveLength(3);
      expect(await client.createSubresource(serviceAccountToken, ref('none'), { spec: {} })).toEqual({
        kind: 'gone',
      });
    });
  });

  test('dry run of every verb -> answered as if, and nothing has changed', async () => {
    const map = await makeMap('data', { labels: { verbs: 'yes' } });
    const pod = await makePod('web');
    const byUs = { fieldManager: 'verbs-test' };
    const data = { colour: 'red' };
    expect(await dry.apply(configMaps, ref(), { data }, { ...byUs, force: true })).toMatchObject({
      object: { data },
    });
    expect(await dry.apply(configMaps, ref('new'), { data }, byUs)).toMatchObject({ object: { data } });
    expect(await dry.mergePatch(configMaps, ref(), { data })).toMatchObject({ object: { data } });
    expect(await dry.update(configMaps, ref(), (one) => ({ ...one, data }))).toMatchObject({
      object: { data },
    });
    await dry.delete(configMaps, ref());
    await dry.delete(configMaps, ref(), { propagationPolicy: 'Background' });
    await dry.deleteCollection(configMaps, namespace, { labelSelector: 'verbs' });
    await dry.deleteCollection(configMaps, namespace, 'all', { gracePeriodSeconds: 0 });
    const target = { kind: 'Node', name: 'node-1' };
    expect(await dry.createSubresource(podBinding, ref('web'), { target })).toMatchObject({
      kind: 'written',
    });
    expect(await evict(dry, ref('web'), { gracePeriodSeconds: 0 })).toMatchObject({ kind: 'written' });
    expect(await read()).toEqual(map);
    expect(await read('new')).toBeUndefined();
    expect(await client.get(pods, ref('web'))).toEqual(pod);
  });
});
