import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  statefulSets,
  storageClasses,
  type JsonPatch,
  type ObjectRef,
} from '@holdfast/core';
import { isNotFound, type ApiClient } from '@holdfast/runtime';
import { describeUnless, eventually } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
} from '@holdfast/testing';
import { connectAs } from '../src/cluster.ts';
import { appNames, runApp, type AppName, type RunningApp } from './four-apps.ts';
import { deploy } from './kustomize.ts';

/*
 * deploy/policies as kube-apiserver judges by them: what the controllers write passes, anything else by their accounts
 * is refused although their roles allow it, and what is protected nobody deletes.
 */

const options = {
  backend: 'real',
  release: '1.36',
  controllers: [
    'statefulset-controller',
    'garbage-collector-controller',
    'persistentvolume-binder-controller',
    'namespace-controller',
  ],
} as const;
const system = 'holdfast-system';
const protection = 'holdfast.dev/deletion-protection';

describeUnless(controlPlaneMissing(options), 'deploy/policies on kube-apiserver', () => {
  let plane: RealControlPlane;
  let admin: ApiClient;
  let folder: string;
  let driver: CsiDriver;
  const accounts = new Map<string, ApiClient>();
  const files = new Map<string, string>();

  beforeAll(async () => {
    plane = await startRealControlPlane({
      ...options,
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    });
    admin = connectAs('policies-test', plane.kubeconfigFile);
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-policies-')));
    driver = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
    await kubectl(['apply', '--server-side', '-k', join(deploy, 'all')]);
    await kubectl(['apply', '--server-side', '--force-conflicts', '-k', join(deploy, 'policies')]);
    // The controllers' roles, and more than these: what is refused is refused by the policies.
    await kubectl(['create', 'clusterrole', 'all-of-storage', '--verb=*', `--resource=${everything}`]);
    for (const name of appNames) {
      const token = (await kubectl(['create', 'token', name, `--namespace=${system}`])).trim();
      const config = JSON.parse(plane.kubeconfig) as { users: { user: object }[] };
      for (const user of config.users) {
        user.user = { token };
      }
      const file = join(folder, name);
      await writeFile(file, JSON.stringify(config));
      files.set(name, file);
      accounts.set(name, connectAs(`as-${name}`, file));
      await kubectl([
        ...['create', 'clusterrolebinding', `all-to-${name}`, '--clusterrole=all-of-storage'],
        `--serviceaccount=${system}:${name}`,
      ]);
    }
    // Each policy is in force some moments after it was stored, and by itself.
    await admin.create(persistentVolumeClaims, 'default', claim('probe'));
    await admin.create(persistentVolumeClaims, 'default', {
      ...claim('protected-probe'),
      metadata: { name: 'protected-probe', annotations: { [protection]: '' } },
    });
    await admin.create(persistentVolumes, undefined, {
      ...volume('probe'),
      spec: { ...volume('probe').spec, persistentVolumeReclaimPolicy: 'Retain' },
    });
    // Another one at each try: a patch that changes nothing is allowed.
    const label = (): JsonPatch => [
      { op: 'add', path: '/metadata/labels', value: { probe: crypto.randomUUID() } },
    ];
    const probes: readonly (() => Promise<unknown> | undefined)[] = [
      ...appNames.map(
        (name) => () =>
          name === 'pv-reclaim-honor'
            ? accounts.get(name)?.patch(persistentVolumes, { name: 'probe' }, label())
            : accounts.get(name)?.patch(persistentVolumeClaims, at('probe'), label()),
      ),
      () =>
        accounts
          .get('pvc-protection')
          ?.patch(persistentVolumeClaims, at('probe'), label(), { subresource: 'status' }),
    ];
    for (const probe of probes) {
      await eventually('the policy is in force', async () =>
        (await outcome(probe())).includes('ValidatingAdmissionPolicy'),
      );
    }
    const deletions = [
      ['persistentvolumeclaim/probe', `--as=system:serviceaccount:${system}:statefulset-pvc-retention`],
      ['persistentvolume/probe', `--as=system:serviceaccount:${system}:pv-reclaim-honor`],
      ['persistentvolumeclaim/protected-probe'],
    ];
    for (const args of deletions) {
      await eventually('the policy on deletions is in force', async () => {
        const { stderr } = await plane.kubectl(['delete', '--dry-run=server', ...args]);
        return stderr.includes('ValidatingAdmissionPolicy');
      });
    }
  }, 120_000);

  afterAll(async () => {
    await Promise.all([admin, ...accounts.values()].map((client) => client.close()));
    await driver.stop();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const kubectl = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await plane.kubectl(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  const at = (name: string): ObjectRef => ({ namespace: 'default', name });
  let count = 0;
  const uniqueName = (): string => `object-${String(count++)}`;

  /** What became of a write: done, or the words of the refusal. */
  const outcome = (write: Promise<unknown> | undefined): Promise<string> =>
    (write ?? Promise.reject(new Error('no such account'))).then(
      () => 'done',
      (error: unknown) => String(error),
    );

  const bound =
    /ValidatingAdmissionPolicy 'holdfast-.+' with binding '.+' denied request: .+ by this account/;
  const answers = { done: /^done$/, refused: bound } as const;
  type Answer = keyof typeof answers;
  const annotate = (name: string, value = 'x'): JsonPatch[number] => ({
    op: 'add',
    path: `/metadata/annotations/${name.replaceAll('/', '~1')}`,
    value,
  });

  test.each<readonly [app: AppName, what: string, answer: Answer, patch: JsonPatch]>([
    [
      'pvc-protection',
      'its finalizer',
      'done',
      [finalizers('kubernetes.io/pvc-protection', 'a.example/keep')],
    ],
    ['pvc-protection', 'another finalizer', 'refused', [finalizers('a.example/keep', 'b.example/keep')]],
    ['pvc-protection', 'the loss of another finalizer', 'refused', [finalizers()]],
    ['pvc-protection', 'an annotation', 'refused', [annotate('holdfast.dev/delete-after')]],
    ['pvc-protection', 'a label', 'refused', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
    ['pvc-protection', 'an owner', 'refused', [owners('Pod')]],
    ['pvc-protection', 'the class', 'refused', [className('fast')]],
    ['retroactive-default-sc', 'the class', 'done', [className('fast')]],
    [
      'retroactive-default-sc',
      'the volume',
      'refused',
      [{ op: 'add', path: '/spec/volumeName', value: 'v' }],
    ],
    ['retroactive-default-sc', 'the loss of a finalizer', 'refused', [finalizers()]],
    ['statefulset-pvc-retention', 'a pod as owner', 'done', [owners('Pod')]],
    ['statefulset-pvc-retention', 'a set as owner', 'done', [owners('StatefulSet')]],
    ['statefulset-pvc-retention', 'another owner', 'refused', [owners('ConfigMap')]],
    ['statefulset-pvc-retention', 'a mark', 'done', [annotate('holdfast.dev/delete-after')]],
    ['statefulset-pvc-retention', 'a tie', 'done', [annotate('holdfast.dev/deleted-with')]],
    ['statefulset-pvc-retention', 'another annotation', 'refused', [annotate('a.example/note')]],
    ['statefulset-pvc-retention', 'a change of an annotation', 'refused', [annotate('a.example/kept', 'y')]],
    ['statefulset-pvc-retention', 'the loss of an annotation', 'refused', [lossOfAnnotation()]],
    ['statefulset-pvc-retention', 'the loss of a finalizer', 'refused', [finalizers()]],
    ['statefulset-pvc-retention', 'the class', 'refused', [className('fast')]],
  ])('%s writes %s of a claim -> %s', async (app, _, expected, patch) => {
    const name = uniqueName();
    await admin.create(persistentVolumeClaims, 'default', claim(name));
    const answer = await outcome(accounts.get(app)?.patch(persistentVolumeClaims, at(name), patch));
    expect(answer).toMatch(answers[expected]);
  });

  test.each<readonly [what: string, answer: Answer, patch: JsonPatch]>([
    [
      'a finalizer',
      'done',
      [finalizers('external-provisioner.volume.kubernetes.io/finalizer', 'a.example/keep')],
    ],
    ['the finalizer of an undo window', 'done', [finalizers('a.example/keep', 'holdfast.dev/undo-window')]],
    ['another finalizer', 'refused', [finalizers('a.example/keep', 'b.example/keep')]],
    ['the loss of another finalizer', 'refused', [finalizers()]],
    ['its record', 'done', [annotate('holdfast.dev/held-by')]],
    ['the mark of an undo window', 'done', [annotate('holdfast.dev/delete-after-claim-uid')]],
    ['what a user asks for', 'refused', [annotate('holdfast.dev/reclaim-policy', 'Delete')]],
    ['a label', 'refused', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]],
    [
      'the policy',
      'refused',
      [{ op: 'replace', path: '/spec/persistentVolumeReclaimPolicy', value: 'Retain' }],
    ],
    ['the claim given back', 'done', [{ op: 'remove', path: '/spec/claimRef/uid' }]],
    ['another claim', 'refused', [{ op: 'replace', path: '/spec/claimRef/name', value: 'other' }]],
    ['no claim at all', 'refused', [{ op: 'remove', path: '/spec/claimRef' }]],
  ])('pv-reclaim-honor writes %s of a volume -> %s', async (_, expected, patch) => {
    const name = uniqueName();
    await admin.create(persistentVolumes, undefined, volume(name));
    const answer = await outcome(accounts.get('pv-reclaim-honor')?.patch(persistentVolumes, { name }, patch));
    expect(answer).toMatch(answers[expected]);
  });

  test('statefulset-pvc-retention writes a claim as owner of a claim -> done for itself, refused for another', async () => {
    const [held, other] = [uniqueName(), uniqueName()];
    const { metadata } = await admin.create(persistentVolumeClaims, 'default', claim(held));
    await admin.create(persistentVolumeClaims, 'default', claim(other));
    const owned = (name: string) =>
      outcome(
        accounts
          .get('statefulset-pvc-retention')
          ?.patch(persistentVolumeClaims, at(name), [
            owners('PersistentVolumeClaim', { name: held, uid: metadata.uid }),
          ]),
      );
    expect(await owned(held)).toBe('done');
    expect(await owned(other)).toMatch(bound);
  });

  test('pvc-protection writes the status of a claim -> the condition Unused alone', async () => {
    const name = uniqueName();
    await admin.create(persistentVolumeClaims, 'default', claim(name));
    const write = (patch: JsonPatch) =>
      outcome(
        accounts
          .get('pvc-protection')
          ?.patch(persistentVolumeClaims, at(name), patch, { subresource: 'status' }),
      );
    const condition = (type: string) => [
      { op: 'add', path: '/status/conditions', value: [{ type, status: 'True' }] } as const,
    ];
    expect(await write(condition('Unused'))).toBe('done');
    expect(await write(condition('Resizing'))).toMatch(bound);
    expect(await write([{ op: 'replace', path: '/status/phase', value: 'Lost' }])).toMatch(bound);
    expect(await write([annotate('a.example/note')])).toMatch(bound);
  });

  test.each<readonly [app: AppName, what: string, answer: Answer, marked: boolean]>([
    ['statefulset-pvc-retention', 'a claim with a mark', 'done', true],
    ['statefulset-pvc-retention', 'a claim without', 'refused', false],
  ])('%s deletes %s -> %s', async (app, _, expected, marked) => {
    const name = uniqueName();
    const { metadata, spec } = claim(name);
    const annotations = { ...metadata.annotations, ...(marked ? { 'holdfast.dev/delete-after': 'x' } : {}) };
    await admin.create(persistentVolumeClaims, 'default', { metadata: { ...metadata, annotations }, spec });
    const answer = await outcome(accounts.get(app)?.delete(persistentVolumeClaims, at(name)));
    expect(answer).toMatch(answers[expected]);
  });

  test('pv-reclaim-honor deletes volumes -> those of policy Delete alone, or meant so', async () => {
    const remove = async (policy: string, annotations: Readonly<Record<string, string>>): Promise<string> => {
      const name = uniqueName();
      const { metadata, spec } = volume(name);
      await admin.create(persistentVolumes, undefined, {
        metadata: { ...metadata, annotations },
        spec: { ...spec, persistentVolumeReclaimPolicy: policy },
      });
      return outcome(accounts.get('pv-reclaim-honor')?.delete(persistentVolumes, { name }));
    };
    expect(await remove('Delete', {})).toBe('done');
    expect(await remove('Retain', { 'holdfast.dev/reclaim-policy': 'Delete' })).toBe('done');
    expect(await remove('Retain', {})).toMatch(bound);
  });

  // docs/threat-model.md says so, and how to take the permission away.
  test('pvc-protection rewrites its webhook configuration -> done: the API server applies no policy to it', async () => {
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    const patch = [{ op: 'replace', path: '/webhooks/0/rules', value: rules }];
    await kubectl([
      ...[
        'patch',
        'mutatingwebhookconfiguration',
        'holdfast-pvc-protection',
        '--type=json',
        '--dry-run=server',
      ],
      ...[`--patch=${JSON.stringify(patch)}`, `--as=system:serviceaccount:${system}:pvc-protection`],
    ]);
  });

  test('others than the controllers -> not bound', async () => {
    const name = uniqueName();
    await admin.create(persistentVolumeClaims, 'default', claim(name));
    expect(await outcome(admin.patch(persistentVolumeClaims, at(name), [owners('ConfigMap')]))).toBe('done');
  });

  describe('deletion-protection', () => {
    const refused = /'holdfast-deletion-protection' .+ denied request: annotation .+ protects it/;
    const keep = { annotations: { [protection]: '' } };

    test('protected claim and volume -> nobody deletes them; without the annotation they go', async () => {
      const name = uniqueName();
      await admin.create(persistentVolumeClaims, 'default', {
        ...claim(name),
        metadata: { name, ...keep },
      });
      await admin.create(persistentVolumes, undefined, { ...volume(name), metadata: { name, ...keep } });
      for (const [resource, ref] of [
        [persistentVolumeClaims, at(name)],
        [persistentVolumes, { name }],
      ] as const) {
        expect(await outcome(admin.delete(resource, ref))).toMatch(refused);
        await admin.patch(resource, ref, [{ op: 'remove', path: '/metadata/annotations' }]);
        expect(await outcome(admin.delete(resource, ref))).toBe('done');
      }
    });

    test('owner of a protected claim is gone -> the garbage collector leaves the claim, and takes it once it is not protected', async () => {
      const [name, free] = [uniqueName(), uniqueName()];
      // kube-apiserver's own count of what the policy refused.
      const metrics = () => kubectl(['get', '--raw=/metrics']);
      const metricsBefore = await metrics();
      const set = await admin.create(statefulSets, 'default', setOf(name, 0));
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: set.metadata.uid }];
      await admin.create(persistentVolumeClaims, 'default', {
        ...claim(name),
        metadata: { name, ownerReferences, ...keep },
      });
      await admin.create(persistentVolumeClaims, 'default', {
        ...claim(free),
        metadata: { name: free, ownerReferences },
      });
      await admin.delete(statefulSets, at(name));
      await eventually('the claim without protection is gone', () => isGone(free), 40_000);
      const refusals =
        /^apiserver_validating_admission_policy_check_total\{.*policy="holdfast-deletion-protection".*\} (\d+)$/m;
      const before = Number(refusals.exec(metricsBefore)?.[1] ?? '0');
      await eventually(
        'the collector was refused',
        async () => {
          const after = Number(refusals.exec(await metrics())?.[1] ?? '0');
          return after > before;
        },
        40_000,
      );
      expect((await admin.get(persistentVolumeClaims, at(name))).metadata.deletionTimestamp).toBeUndefined();
      await admin.patch(persistentVolumeClaims, at(name), [{ op: 'remove', path: '/metadata/annotations' }]);
      await eventually('the claim is gone', () => isGone(name), 40_000);
    }, 90_000);

    test('namespace with a protected claim is deleted -> stays terminating and says why; ends once it is not protected', async () => {
      const namespace = uniqueName();
      await admin.create(namespaces, undefined, { metadata: { name: namespace } });
      await admin.create(persistentVolumeClaims, namespace, {
        ...claim('kept'),
        metadata: { name: 'kept', ...keep },
      });
      await admin.delete(namespaces, { name: namespace });
      await eventually(
        'it says why',
        async () => {
          const { status } = await admin.get(namespaces, { name: namespace });
          return JSON.stringify(status ?? {}).includes('protects it');
        },
        40_000,
      );
      const ref = { namespace, name: 'kept' };
      expect((await admin.get(persistentVolumeClaims, ref)).metadata.deletionTimestamp).toBeUndefined();
      await admin.patch(persistentVolumeClaims, ref, [{ op: 'remove', path: '/metadata/annotations' }]);
      await eventually(
        'the namespace is gone',
        async () => {
          try {
            await admin.get(namespaces, { name: namespace });
            return false;
          } catch (error) {
            return isNotFound(error);
          }
        },
        60_000,
      );
    }, 120_000);
  });

  const isGone = async (name: string): Promise<boolean> => {
    try {
      await admin.get(persistentVolumeClaims, at(name));
      return false;
    } catch (error) {
      if (isNotFound(error)) {
        return true;
      }
      throw error;
    }
  };

  describe('the controllers at work', () => {
    const running: RunningApp[] = [];

    beforeAll(async () => {
      const further: Readonly<Record<AppName, readonly string[]>> = {
        'pvc-protection': ['--feature-gates=ClaimUnusedCondition=true'],
        'retroactive-default-sc': [],
        'statefulset-pvc-retention': ['--feature-gates=DeletionGracePeriod=true'],
        'pv-reclaim-honor': [`--csi-address=${driver.address}`],
      };
      for (const name of appNames) {
        running.push(
          runApp(name, [`--kubeconfig=${files.get(name) ?? ''}`, '--leader-elect=false', ...further[name]]),
        );
      }
      await Promise.all(running.map((app) => app.address('metrics')));
    }, 60_000);

    afterAll(async () => {
      await Promise.all(running.map((app) => app.stop()));
    }, 60_000);

    test('a life of each -> all is done, and no write is refused', async () => {
      const name = uniqueName();
      const find = () => admin.get(persistentVolumeClaims, at(name));
      await admin.create(persistentVolumeClaims, 'default', { ...claim(name), metadata: { name } });
      await eventually('the claim is protected, and said to be unused', async () => {
        const { metadata, status } = await find();
        return (
          metadata.finalizers?.includes('kubernetes.io/pvc-protection') === true &&
          status?.conditions?.some(({ type }) => type === 'Unused') === true
        );
      });
      await admin.create(storageClasses, undefined, {
        metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'example.com/none',
      });
      await eventually(
        'it has the default class',
        async () => (await find()).spec?.storageClassName === 'fast',
      );
      await admin.delete(persistentVolumeClaims, at(name));
      await eventually('it is released', () => isGone(name));

      const volumeName = uniqueName();
      await driver.addVolume(volumeName);
      await admin.create(persistentVolumes, undefined, {
        metadata: { name: volumeName },
        spec: {
          ...volume(volumeName).spec,
          claimRef: { namespace: 'default', name: volumeName },
          csi: { driver: driver.name, volumeHandle: volumeName },
        },
      });
      await admin.create(persistentVolumeClaims, 'default', {
        metadata: { name: volumeName },
        spec: { ...claim(volumeName).spec, storageClassName: '', volumeName },
      });
      await eventually(
        'the volume is bound and held',
        async () => {
          const { metadata, status } = await admin.get(persistentVolumes, { name: volumeName });
          return status?.phase === 'Bound' && metadata.annotations?.['holdfast.dev/held-by'] !== undefined;
        },
        40_000,
      );
      await admin.delete(persistentVolumeClaims, at(volumeName));
      await eventually(
        'the storage and the volume are gone',
        async () => {
          try {
            await admin.get(persistentVolumes, { name: volumeName });
            return false;
          } catch (error) {
            return isNotFound(error) && !driver.hasVolume(volumeName);
          }
        },
        40_000,
      );

      const set = uniqueName();
      await admin.create(statefulSets, 'default', {
        ...setOf(set, 1),
        metadata: {
          name: set,
          annotations: { 'holdfast.dev/when-deleted': 'Delete', 'holdfast.dev/set-deletion-grace': '1s' },
        },
      });
      const ofSet = `data-${set}-0`;
      await eventually(
        'the claim is tied to its set',
        async () => {
          try {
            const { metadata } = await admin.get(persistentVolumeClaims, at(ofSet));
            return metadata.annotations?.['holdfast.dev/deleted-with'] !== undefined;
          } catch (error) {
            if (isNotFound(error)) {
              return false;
            }
            throw error;
          }
        },
        40_000,
      );
      await admin.delete(statefulSets, at(set), { propagationPolicy: 'Background' });
      await kubectl(['delete', 'pods', '--all', '--namespace=default', '--force', '--grace-period=0']).catch(
        () => '',
      );
      await eventually('the claim goes when the window is over', () => isGone(ofSet), 60_000);

      for (const app of running) {
        expect([app.name, /^rest_client_requests_total\{code="40[13]".*/m.exec(await app.metrics())]).toEqual(
          [app.name, null],
        );
      }
    }, 180_000);
  });
});

/** More than any role of ours grants. */
const everything = 'persistentvolumeclaims,persistentvolumeclaims/status,persistentvolumes';

/** It bears what others have put on it: a finalizer and an annotation. */
function claim(name: string) {
  return {
    metadata: { name, finalizers: ['a.example/keep'], annotations: { 'a.example/kept': 'x' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** The same, bound to a claim. */
function volume(name: string) {
  return {
    metadata: { name, finalizers: ['a.example/keep'], annotations: { 'a.example/kept': 'x' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: '',
      claimRef: { namespace: 'default', name, uid: '00000000-0000-4000-8000-000000000000' },
      csi: { driver: 'csi.example.com', volumeHandle: name },
    },
  };
}

function setOf(name: string, replicas: number) {
  return {
    metadata: { name },
    spec: {
      serviceName: name,
      replicas,
      selector: { matchLabels: { set: name } },
      template: {
        metadata: { labels: { set: name } },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
      },
      volumeClaimTemplates: [{ ...claim('data'), metadata: { name: 'data' } }],
    },
  };
}

function finalizers(...names: readonly string[]): JsonPatch[number] {
  return { op: 'replace', path: '/metadata/finalizers', value: names };
}

function owners(
  kind: string,
  owner = { name: 'o', uid: '00000000-0000-4000-8000-000000000001' },
): JsonPatch[number] {
  return { op: 'add', path: '/metadata/ownerReferences', value: [{ apiVersion: 'v1', kind, ...owner }] };
}

function className(value: string): JsonPatch[number] {
  return { op: 'add', path: '/spec/storageClassName', value };
}

function lossOfAnnotation(): JsonPatch[number] {
  return { op: 'remove', path: '/metadata/annotations/a.example~1kept' };
}
