import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import {
  finalizers,
  leases,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import { createLogger, find, systemClock, type ApiClient } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import {
  chosenBackend,
  persistentVolumeBinder,
  persistentVolumeProtection,
  statefulSetController,
} from '@holdfast/testing';
import { answer } from '../src/answers/answer.ts';
import { deployments } from '../src/cluster/deployment.ts';
import { NotFound } from '../src/cluster/not-found.ts';
import { readCommandLine } from '../src/command-line/read-command-line.ts';
import type { AssumableName, Kind, Request, ViewRequest } from '../src/command-line/request.ts';
import { keep } from '../src/keep/keep.ts';
import { pendingOf } from '../src/survey/undo.ts';
import type { Explanation } from '../src/explain/explanation.ts';
import { followAnswers } from '../src/follow/follow-answers.ts';
import { print } from '../src/output/print.ts';
import { protection, type ProtectionOptions } from './apps.ts';
import { describeScene, type SceneOptions } from './scene.ts';
import { startTool } from './tool-process.ts';

/*
 * What `explain` says of states of a cluster, and then whether it comes about. On the embedded plane Holdfast protects
 * claims, on a real one kube-controller-manager does.
 */

const isEmbedded = chosenBackend() === 'embedded';
const options: SceneOptions<ProtectionOptions> = {
  common: {
    controllers: [
      'statefulset-controller',
      'garbage-collector-controller',
      'persistentvolumeclaim-protection-controller',
      'persistentvolume-protection-controller',
      'persistentvolume-binder-controller',
    ],
  },
  standIns: [statefulSetController(), persistentVolumeBinder, persistentVolumeProtection],
  app: protection,
  started: isEmbedded ? {} : undefined,
};

describeScene('explain', options, (scene) => {
  const explain = async (of: Kind, name: string, namespace = 'default'): Promise<Explanation> => {
    const assume = new Map<AssumableName, boolean>();
    const { object } = await answer(
      scene.client,
      { kind: 'explain', of, name },
      {
        namespace,
        allNamespaces: false,
        assume,
        workloads: [],
      },
    );
    return object as unknown as Explanation;
  };
  const holding = ({ holders }: Explanation) =>
    holders.filter(({ holds }) => holds).map(({ kind, name }) => `${kind} ${name}`);
  const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

  /** A set of two with claims that go on scale-down and stay on deletion. */
  const makeSet = async (): Promise<string> => {
    const namespace = await scene.stage.namespace();
    await scene.client.create(statefulSets, namespace, {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'none' }], terminationGracePeriodSeconds: 1 },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
      },
    });
    await eventually('both pods run', async () => {
      const { items } = await scene.client.list(pods, { namespace });
      return items.filter(({ status }) => status?.phase === 'Running').length === 2;
    });
    return namespace;
  };

  test('claim deleted while its pod runs -> held by finalizer and pod; the set lets pod go -> the claim goes', async () => {
    const namespace = await makeSet();
    await scene.client.delete(persistentVolumeClaims, { namespace, name: 'data-web-1' });
    const told = await explain('pvc', 'data-web-1', namespace);
    expect(told.state).toMatch(/being deleted since .* held by finalizer kubernetes\.io\/pvc-protection$/);
    expect(holding(told)).toEqual([`finalizer ${finalizers.pvcProtection}`, 'pod web-1']);
    await scene.client.patch(statefulSets, { namespace, name: 'web' }, [
      { op: 'replace', path: '/spec/replicas', value: 1 },
    ]);
    await eventually(
      'the claim is gone',
      async () =>
        (await find(scene.client, persistentVolumeClaims, { namespace, name: 'data-web-1' })) === undefined,
    );
  });

  test('claim of a set -> goes when it is scaled below it, stays when it is deleted; so it comes about', async () => {
    const namespace = await makeSet();
    const told = await explain('pvc', 'data-web-1', namespace);
    const cases = new Map(told.ifs.map(({ what, then }) => [what, then]));
    expect(cases.get('StatefulSet web is scaled below it')).toMatch(
      /^the claim goes: with its owner, Pod web-1$/,
    );
    expect(cases.get('StatefulSet web is deleted')).toBe('the claim stays: whenDeleted is Retain');
    const set = await explain('sts', 'web', namespace);
    expect(set.ifs.map(({ what, then }) => `${what}: ${then}`)).toEqual([
      expect.stringMatching(
        /^it is scaled below a claim: data-web-0, data-web-1: the claims go, each with its owner$/,
      ),
      'it is deleted: data-web-0, data-web-1: the claim stays: whenDeleted is Retain',
    ]);
    await scene.client.patch(statefulSets, { namespace, name: 'web' }, [
      { op: 'replace', path: '/spec/replicas', value: 1 },
    ]);
    await eventually(
      'the claim is gone',
      async () =>
        (await find(scene.client, persistentVolumeClaims, { namespace, name: 'data-web-1' })) === undefined,
    );
    await scene.client.delete(statefulSets, { namespace, name: 'web' });
    await eventually(
      'the last pod is gone',
      async () => (await scene.client.list(pods, { namespace })).items.length === 0,
    );
    const kept = await scene.client.get(persistentVolumeClaims, { namespace, name: 'data-web-0' });
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
  });

  test('volume deleted while it is bound -> stays until its claim is gone; the claim goes -> so does the volume', async () => {
    const namespace = await scene.stage.namespace();
    const name = `pv-${namespace}`;
    await scene.client.create(persistentVolumes, undefined, {
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'disks.example.com', volumeHandle: name },
        claimRef: { namespace, name: 'data' },
      },
    });
    await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: { ...claimSpec, storageClassName: '', volumeName: name },
    });
    await eventually('they are bound', async () => {
      const volume = await scene.client.get(persistentVolumes, { name });
      return (
        volume.status?.phase === 'Bound' &&
        volume.metadata.finalizers?.includes(finalizers.pvProtection) === true
      );
    });
    const bound = await explain('pv', name);
    expect(bound.ifs[0]).toMatchObject({
      what: 'it is deleted',
      then: 'it stays, being deleted, until its claim is gone; then the volume goes, and its storage stays',
    });
    await scene.client.delete(persistentVolumes, { name });
    const told = await explain('pv', name);
    expect(told.state).toMatch(/^Bound to claim .*, reclaim policy Retain, being deleted since /);
    expect(holding(told)).toEqual([`finalizer ${finalizers.pvProtection}`, `claim ${namespace}/data`]);
    await scene.client.delete(persistentVolumeClaims, { namespace, name: 'data' });
    await eventually(
      'the volume is gone',
      async () => (await find(scene.client, persistentVolumes, { name })) === undefined,
    );
  });

  test('claimRef with the UID of a claim, and the name of none -> the claim with the UID is named', async () => {
    const namespace = await scene.stage.namespace();
    const { metadata } = await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: { ...claimSpec, storageClassName: '' },
    });
    const name = `pv-renamed-${namespace}`;
    await scene.client.create(persistentVolumes, undefined, {
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'disks.example.com', volumeHandle: name },
        claimRef: { namespace, name: 'renamed', uid: metadata.uid },
      },
    });
    const { state } = await explain('pv', name);
    expect(state).toMatch(
      new RegExp(
        `from claim ${namespace}/renamed, whose UID claim ${namespace}/data has, reclaim policy Retain$`,
      ),
    );
  });

  test('claimRef names a claim that is gone, another is bound to the volume -> names that one', async () => {
    const namespace = await scene.stage.namespace();
    const name = `pv-moved-${namespace}`;
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'first', annotations },
      spec: { ...claimSpec, storageClassName: '', volumeName: name },
    });
    await scene.client.create(persistentVolumes, undefined, {
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'disks.example.com', volumeHandle: name },
        claimRef: { namespace, name: 'moved', uid: 'gone' },
      },
    });
    const { state } = await explain('pv', name);
    expect(state).toContain(
      `from claim ${namespace}/moved, which is gone, while claim ${namespace}/first says that it is bound to it`,
    );
  });

  test('class that is the default one -> said so, with the claims that wait', async () => {
    const namespace = await scene.stage.namespace();
    await scene.client.create(storageClasses, undefined, {
      metadata: {
        name: 'standard',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'disks.example.com',
    });
    await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: { ...claimSpec, storageClassName: 'standard' },
    });
    const told = await explain('sc', 'standard');
    expect(told.state).toMatch(/^the default class; provisioner disks\.example\.com/);
    const claim = await explain('pvc', 'data', namespace);
    expect(claim.next).toEqual([
      expect.objectContaining({ who: 'the provisioner of class standard', does: 'makes a volume for it' }),
    ]);
  });

  test('volumes of the cluster -> those at risk are listed, and who is at work', async () => {
    const name = `released-${crypto.randomUUID().slice(0, 8)}`;
    await scene.client.create(persistentVolumes, undefined, {
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'disks.example.com', volumeHandle: name },
        claimRef: { namespace: 'default', name, uid: crypto.randomUUID() },
      },
    });
    await eventually(
      'it is released',
      async () => (await scene.client.get(persistentVolumes, { name })).status?.phase === 'Released',
    );
    const ask = (kind: 'preflight' | 'gates' | 'leaks' | 'undo') =>
      answer(
        scene.client,
        { kind },
        { namespace: 'default', allNamespaces: true, assume: new Map(), workloads: [] },
      );
    expect((await ask('leaks')).names).toContain(`persistentvolume/${name}`);
    expect((await ask('undo')).names).toStrictEqual([]);
    expect((await ask('gates')).names).toContain('gate/StatefulSetAutoDeletePVC');
    const preflight = await ask('preflight');
    expect(preflight.object).toMatchObject({
      controllers: expect.arrayContaining([
        expect.objectContaining({ name: 'pvc-protection', needed: 'no' }),
      ]),
      // The embedded plane has no metrics.
      gatesFrom: isEmbedded ? 'release' : 'apiServerMetrics',
      installed: [],
      obstacles: [],
    });
    const status = await answer(
      scene.client,
      { kind: 'status', patience: undefined },
      { namespace: 'default', allNamespaces: false, assume: new Map(), workloads: [] },
    );
    expect(status).toMatchObject({ code: 0, names: [] });
  });

  test('marked claim and volume -> listed, and kept for good once it is confirmed', async () => {
    const namespace = await scene.stage.namespace();
    const name = `kept-${namespace}`;
    const { metadata: volume } = await scene.client.create(persistentVolumes, undefined, {
      metadata: { name, annotations: { 'holdfast.dev/reclaim-policy': 'Delete' } },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'disks.example.com', volumeHandle: name },
        claimRef: { namespace, name: 'gone', uid: 'uid-of-gone' },
      },
    });
    const { metadata: claim } = await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data-web-1' },
      spec: { ...claimSpec, storageClassName: 'standard' },
    });
    const mark = { 'holdfast.dev/delete-after': '2126-01-01T00:00:00Z' };
    const annotate = async (resource: ApiResource<KubernetesObject>, ref: ObjectRef, more: object) => {
      await eventually('it is marked', async () => {
        const { metadata } = await scene.client.get(resource, ref);
        const value = { ...metadata.annotations, ...mark, ...more };
        await scene.client.patch(resource, ref, [{ op: 'add', path: '/metadata/annotations', value }]);
        return true;
      });
    };
    await annotate(
      persistentVolumeClaims,
      { namespace, name: 'data-web-1' },
      {
        'holdfast.dev/delete-after-uid': claim.uid,
        'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${claim.uid}`,
      },
    );
    await annotate(
      persistentVolumes,
      { name },
      {
        'holdfast.dev/delete-after-uid': volume.uid,
        'holdfast.dev/delete-after-claim-uid': 'uid-of-gone',
      },
    );
    const surroundings = { namespace, allNamespaces: false, assume: new Map(), workloads: [] };
    const ask = (request: Exclude<Request, ViewRequest>, isYes: boolean) =>
      answer(scene.client, request, surroundings, {
        confirm: () => Promise.resolve(isYes),
        say: () => undefined,
        signal: new AbortController().signal,
      });
    const both = [`persistentvolumeclaim/data-web-1`, `persistentvolume/${name}`];
    const all: Request = { kind: 'keep', these: undefined };
    expect((await ask({ kind: 'undo' }, false)).names.toSorted()).toEqual(both.toSorted());
    expect((await ask(all, false)).code).toBe(1);
    expect((await ask({ kind: 'undo' }, false)).names.length).toBe(2);
    const odd = ask({ kind: 'keep', these: { of: 'pvc', names: ['other'] } }, true);
    await expect(odd).rejects.toThrow(
      `pvc "other" in namespace "${namespace}" waits for the end of no undo window; kubectl holdfast undo -A lists those that do, and kubectl holdfast explain pvc other says what becomes of it`,
    );
    const { code, names } = await ask(all, true);
    expect({ code, names: names.toSorted() }).toEqual({ code: 0, names: both.toSorted() });
    expect((await ask({ kind: 'undo' }, false)).names).toStrictEqual([]);
    const kept = await scene.client.get(persistentVolumes, { name });
    expect(kept.metadata.annotations?.['holdfast.dev/reclaim-policy']).toBeUndefined();
    expect(kept.spec?.persistentVolumeReclaimPolicy).toBe('Retain');
    const { metadata } = await scene.client.get(persistentVolumeClaims, { namespace, name: 'data-web-1' });
    expect(Object.keys(metadata.annotations ?? {}).filter((each) => each.includes('delete-after'))).toEqual([
      'holdfast.dev/delete-after-scale-down',
      'holdfast.dev/delete-after-uid',
    ]);
  });

  test('claim changed between look and write -> looked at again, and kept', async () => {
    const namespace = await scene.stage.namespace();
    const { metadata } = await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data-web-2' },
      spec: { ...claimSpec, storageClassName: 'standard' },
    });
    const ref = { namespace, name: 'data-web-2' };
    const set = (annotations: object) =>
      scene.client.patch(persistentVolumeClaims, ref, [
        { op: 'add', path: '/metadata/annotations', value: annotations },
      ]);
    const marks = {
      'holdfast.dev/delete-after': '2126-01-01T00:00:00Z',
      'holdfast.dev/delete-after-uid': metadata.uid,
      'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${metadata.uid}`,
    };
    const [pending] = pendingOf([await set(marks)], []);
    let patches = 0;
    const { get, serverTime } = scene.client;
    const client: Pick<ApiClient, 'get' | 'patch' | 'serverTime'> = {
      get,
      serverTime,
      patch: async (...args) => {
        patches += 1;
        if (patches === 1) {
          await set({ ...marks, 'example.com/touched': 'yes' });
        }
        return scene.client.patch(...args);
      },
    };
    expect(pending && (await keep(client, pending))).toMatchObject({ result: 'kept', note: '' });
    // More where the volume binder writes to the claim meanwhile.
    expect(patches).toBeGreaterThanOrEqual(2);
    const left = await scene.client.get(persistentVolumeClaims, ref);
    expect(left.metadata.annotations).toMatchObject({ 'example.com/touched': 'yes' });
    expect(left.metadata.annotations).not.toHaveProperty(['holdfast.dev/delete-after']);
  });

  test('scaled down and up again while the pod still ends -> planned to go; so it comes about', async () => {
    const namespace = await makeSet();
    const ofSet = { namespace, name: 'web' };
    const ofPod = { namespace, name: 'web-1' };
    const ofClaim = { namespace, name: 'data-web-1' };
    const scale = (replicas: number) =>
      scene.client.patch(statefulSets, ofSet, [{ op: 'replace', path: '/spec/replicas', value: replicas }]);
    await eventually('the pod is held', async () => {
      await scene.client.patch(pods, ofPod, [
        { op: 'add', path: '/metadata/finalizers', value: ['example.com/slow'] },
      ]);
      return true;
    });
    await scale(1);
    await eventually('the pod ends, and owns the claim', async () => {
      const pod = await scene.client.get(pods, ofPod);
      const claim = await scene.client.get(persistentVolumeClaims, ofClaim);
      return (
        pod.metadata.deletionTimestamp !== undefined &&
        claim.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid) === true
      );
    });
    const { metadata } = await scene.client.get(persistentVolumeClaims, ofClaim);
    const planned = await answer(
      scene.client,
      { kind: 'scale', of: undefined, name: 'web', replicas: 2 },
      { namespace, allNamespaces: false, assume: new Map(), workloads: [] },
    );
    expect(planned.object).toMatchObject({
      claims: [
        { name: 'data-web-0', fate: 'stays' },
        { name: 'data-web-1', fate: 'goes' },
      ],
    });
    const { metadata: scaled } = await scale(2);
    await eventually('that is seen', async () => {
      const { status } = await scene.client.get(statefulSets, ofSet);
      return (status?.observedGeneration ?? 0) >= (scaled.generation ?? 0);
    });
    await scene.client.patch(pods, ofPod, [{ op: 'remove', path: '/metadata/finalizers' }]);
    await eventually('the claim is gone, whether or not it is made anew', async () => {
      const found = await find(scene.client, persistentVolumeClaims, ofClaim);
      return found?.metadata.uid !== metadata.uid;
    });
  });

  test('claim that is gone -> the volume that was its own is named', async () => {
    const namespace = await scene.stage.namespace();
    const volume = await scene.client.create(persistentVolumes, undefined, {
      metadata: { generateName: 'pv-' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/data/kept' },
        claimRef: { namespace, name: 'gone' },
      },
    });
    const { name } = volume.metadata;
    await expect(explain('pvc', 'gone', namespace)).rejects.toThrow(
      `there is no persistentvolumeclaim "gone" in namespace "${namespace}", but volume ${name} is for a claim of this name: kubectl holdfast explain pv ${name}`,
    );
    await scene.client.delete(persistentVolumes, { name });
  });

  test('claim that is not there -> named with its namespace and the way out', async () => {
    const asked = explain('pvc', 'nope', 'default');
    await expect(asked).rejects.toThrow(NotFound);
    await expect(asked).rejects.toThrow(/"nope" in namespace "default"; name another one with -n/);
  });

  test('claim followed -> answered at each change, until it is gone', async () => {
    const namespace = await makeSet();
    const shown: string[] = [];
    const logger = await createLogger('test', { logLevel: 'error', logFormat: 'json', dryRun: false });
    const stop = new AbortController();
    const ended = followAnswers(
      {
        ...{ client: scene.client, clock: systemClock, logger },
        ask: (client) =>
          answer(
            client,
            { kind: 'explain', of: 'pvc', name: 'data-web-1' },
            { namespace, allNamespaces: false, assume: new Map(), workloads: [] },
          ),
        show: async (answered) => {
          shown.push((await print(answered, undefined, false)).split('\n', 1).join());
          await Promise.resolve();
        },
        onTrouble: () => undefined,
        onError: (error) => shown.push(String(error)),
      },
      stop.signal,
    );
    await eventually('it is shown', () => shown.length > 0);
    await scene.client.delete(persistentVolumeClaims, { namespace, name: 'data-web-1' });
    await eventually('its deletion is shown', () => shown.at(-1)?.includes('being deleted since') === true);
    await scene.client.patch(statefulSets, { namespace, name: 'web' }, [
      { op: 'replace', path: '/spec/replicas', value: 1 },
    ]);
    expect(await ended).toBe('gone');
    expect(shown.filter((line) => !line.startsWith('PersistentVolumeClaim'))).toStrictEqual([]);
  });

  /** The Deployment of a controller, without pods. */
  const createDeployment = async (namespace: string, app: string, flag: string): Promise<void> => {
    const labels = { 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'holdfast' };
    await scene.client.create(deployments, namespace, {
      metadata: { name: app, labels },
      spec: {
        replicas: 0,
        ...{ selector: { matchLabels: labels } },
        template: {
          ...{ metadata: { labels } },
          spec: { containers: [{ name: app, image: 'none', args: [flag] }] },
        },
      },
    });
  };

  test('flags of the controllers in a file -> claim and volume say that these might act otherwise', async () => {
    const namespace = await scene.stage.namespace();
    for (const app of ['pvc-protection', 'pv-reclaim-honor']) {
      await createDeployment(namespace, app, '--config=/etc/holdfast.yaml');
    }
    await scene.client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data' },
      spec: claimSpec,
    });
    const volume = `${namespace}-pv`;
    await scene.client.create(persistentVolumes, undefined, {
      metadata: { name: volume },
      spec: {
        ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'none' },
        csi: { driver: 'disks.example.com', volumeHandle: volume },
      },
    });
    for (const told of [await explain('pvc', 'data', namespace), await explain('pv', volume)]) {
      expect(told.next.map(({ does }) => does)).toContain(
        'might act otherwise: not all of its flags are known (--config names a file)',
      );
    }
    for (const name of ['pvc-protection', 'pv-reclaim-honor']) {
      await scene.client.delete(deployments, { namespace, name });
    }
  });

  test('another volume over the storage keeps it -> waits for that one; nobody does any more -> the storage goes', async () => {
    const namespace = await scene.stage.namespace();
    const app = 'pv-reclaim-honor';
    await createDeployment(namespace, app, '--csi-address=/csi/csi.sock');
    await scene.client.create(leases, namespace, {
      metadata: { name: `holdfast-${app}` },
      spec: {
        ...{ holderIdentity: 'someone', leaseDurationSeconds: 3_600 },
        // By whatever clock: those of the test and of the API server can be far apart.
        renewTime: '2100-01-01T00:00:00.000000Z',
      },
    });
    const make = (name: string, persistentVolumeReclaimPolicy: 'Delete' | 'Retain') =>
      scene.client.create(persistentVolumes, undefined, {
        metadata: { name, finalizers: [finalizers.externalProvisioner] },
        spec: {
          ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: '' },
          persistentVolumeReclaimPolicy,
          csi: { driver: 'disks.example.com', volumeHandle: `disk-of-${namespace}` },
          claimRef: { namespace, name: `claim-of-${name}`, uid: 'gone' },
        },
      });
    const [going, kept] = [`${namespace}-going`, `${namespace}-kept`];
    await make(going, 'Delete');
    await make(kept, 'Retain');
    const attachment = { name: `${kept}-attached` };
    await scene.client.create(volumeAttachments, undefined, {
      metadata: attachment,
      spec: { attacher: 'disks.example.com', nodeName: 'node-1', source: { persistentVolumeName: kept } },
    });
    await eventually('it is released', async () => {
      const { phase } = (await scene.client.get(persistentVolumes, { name: going })).status ?? {};
      return phase === 'Released' || phase === 'Failed';
    });
    const next = async () => (await explain('pv', going)).next.map(({ does }) => does);
    expect(await next()).toContain(`waits: storage shared with ${kept}`);
    await scene.client.patch(persistentVolumes, { name: kept }, [
      { op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Delete' },
    ]);
    expect(await next()).toContain('waits: attached to node-1');
    await scene.client.delete(volumeAttachments, attachment);
    expect(await next()).toContain(
      'deletes the storage by disks.example.com, then the volume, and takes its finalizer off',
    );
    await scene.client.delete(deployments, { namespace, name: app });
    await scene.client.delete(leases, { namespace, name: `holdfast-${app}` });
  });

  test('as a command line -> table, names and JSON; as a process -> exit codes, and Ctrl-C', async () => {
    const namespace = await makeSet();
    const run = async (...args: readonly string[]) => {
      const tool = startTool([
        ...args,
        `--kubeconfig=${scene.stage.kubeconfigFile}`,
        '--insecure-http',
        `--namespace=${namespace}`,
      ]);
      const exited = new Promise<number | null>((resolve) => tool.on('close', resolve));
      if (args.includes('--watch')) {
        tool.stdout.once('data', () => tool.kill('SIGINT'));
      }
      const [out, err] = await Promise.all([text(tool.stdout), text(tool.stderr)]);
      return { out, err, code: await exited };
    };
    const [asTable, notThere, followed] = await Promise.all([
      run('plan', 'sts', 'web', '--replicas=1'),
      run('explain', 'pvc', 'nope'),
      run('status', '--watch', '-ojson'),
    ]);
    // In this process, as the tool does in its own.
    const printed = async (...args: readonly string[]) => {
      const line = readCommandLine([...args, `--namespace=${namespace}`], '0');
      if (line.kind !== 'run' || line.request.kind === 'view') {
        throw new Error(`${args.join(' ')} asks nothing`);
      }
      const answered = await answer(scene.client, line.request, { ...line.flags, namespace });
      return { out: await print(answered, line.flags.output, false), code: answered.code };
    };
    const asNames = await printed('plan', 'sts/web', '--delete', '-o=name');
    const asJson = await printed('explain', 'sts', 'web', '-o', 'json');
    expect(asTable.out).toMatch(/scaled from 2 to 1: of 2 claims, 1 goes, 1 stays\.$/m);
    expect(asTable.out).toMatch(/^CLAIM +FATE +UNDO +DATA +WHY$/m);
    expect(asTable.out).toMatch(/^data-web-1 +goes +no +none, not bound +with its owner, Pod web-1 \[1\]$/m);
    expect(asNames).toEqual({
      out: 'persistentvolumeclaim/data-web-0\npersistentvolumeclaim/data-web-1\n',
      code: 0,
    });
    expect(JSON.parse(asJson.out)).toMatchObject({ kind: 'Explanation', subject: { name: 'web' } });
    expect(JSON.parse(followed.out)).toMatchObject({ kind: 'Status' });
    expect(followed).toMatchObject({ err: '', code: 0 });
    expect(notThere).toMatchObject({ out: '', code: 1 });
    expect(notThere.err).toMatch(/^kubectl-holdfast: there is no persistentvolumeclaim "nope"/);
  });
});
