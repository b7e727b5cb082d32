import { expect, test } from '@jest/globals';
import type { KubernetesObject, PersistentVolume } from '@holdfast/core';
import { ApiError, type ApiClient } from '@holdfast/runtime';
import { provisionerSecret, type ProvisionerSecret } from '../src/provisioner-secret.ts';

const namespace = 'shop';
const parameter = (part: string): string => `csi.storage.k8s.io/provisioner-secret-${part}`;

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the volume's class, which is not there without them. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Answered to every read, instead of what is there. */
  readonly error?: ApiError;
}

/** Secrets `fixed`, `data-secret` and `pv-NAME` of the namespace, each of which says its name, and one class. */
function reader(className: string, { parameters, error }: Given): Pick<ApiClient, 'get'> {
  const objects = new Map<string, object>(
    ['fixed', 'data-secret', `pv-${className}`].map((name) => [
      `secrets ${namespace}/${name}`,
      {
        metadata: { namespace, name, uid: '3', resourceVersion: '4' },
        data: { from: Buffer.from(name).toString('base64') },
      },
    ]),
  );
  if (parameters !== undefined) {
    objects.set(`storageclasses /${className}`, {
      metadata: { name: className, uid: '5', resourceVersion: '6' },
      parameters,
    });
  }
  return {
    get: async <T extends KubernetesObject>(
      { plural }: { readonly plural: string },
      ref: { readonly namespace?: string; readonly name: string },
    ) => {
      await Promise.resolve();
      const found = objects.get(`${plural} ${ref.namespace ?? ''}/${ref.name}`);
      if (error !== undefined || found === undefined) {
        throw error ?? new ApiError(`GET ${plural}/${ref.name}`, 404, { reason: 'NotFound' });
      }
      return found as T;
    },
  };
}

function secretOf(name: string, given: Given): Promise<ProvisionerSecret> {
  const volume: PersistentVolume = {
    metadata: { name, uid: '1', resourceVersion: '2', annotations: given.annotations ?? {} },
    spec: {
      storageClassName: name,
      claimRef: { namespace, name: 'data' },
      csi: { driver: 'csi.example.com', volumeHandle: name },
    },
  };
  return provisionerSecret(reader(name, given), volume, {});
}

const annotated = (name: string, inNamespace = namespace) => ({
  'volume.kubernetes.io/provisioner-deletion-secret-name': name,
  'volume.kubernetes.io/provisioner-deletion-secret-namespace': inNamespace,
});
const fixed = { [parameter('name')]: 'fixed', [parameter('namespace')]: namespace };

test.each<{ name: string; given: Given; secrets: object; missing?: string }>([
  {
    name: 'annotations name a secret -> its content, whatever the class says',
    given: {
      annotations: annotated('fixed'),
      parameters: { [parameter('name')]: 'other', [parameter('namespace')]: namespace },
    },
    secrets: { from: 'fixed' },
  },
  {
    name: 'annotations are empty -> no secret, whatever the class says',
    given: { annotations: annotated('', ''), parameters: fixed },
    secrets: {},
  },
  { name: 'class names a secret -> its content', given: { parameters: fixed }, secrets: { from: 'fixed' } },
  {
    name: 'secret is gone -> none: the deletion must not hang on it; named as missing',
    given: { annotations: annotated('nowhere') },
    secrets: {},
    missing: 'shop/nowhere',
  },
  { name: 'class is gone -> none', given: {}, secrets: {} },
  { name: 'class names no secret -> none', given: { parameters: {} }, secrets: {} },
  {
    name: 'class names it by a template of the claim -> resolved',
    given: {
      parameters: {
        [parameter('name')]: '${pvc.name}-secret',
        [parameter('namespace')]: '${pvc.namespace}',
      },
    },
    secrets: { from: 'data-secret' },
  },
  {
    name: 'class names it by a template of the volume, in the older spelling -> resolved',
    given: {
      parameters: { csiProvisionerSecretName: 'pv-${pv.name}', csiProvisionerSecretNamespace: namespace },
    },
    secrets: { from: 'pv-v' },
  },
])('$name', async ({ given, secrets, missing }) => {
  expect(await secretOf('v', given)).toEqual({ values: secrets, missing });
});

test.each<{ name: string; given: Given; says: RegExp }>([
  {
    name: 'class names half a secret -> says which half is missing',
    given: { parameters: { [parameter('name')]: 'fixed' } },
    says: /^StorageClass v names half a provisioner secret: give both .*-name and .*-namespace$/,
  },
  {
    name: 'class names it by an unknown template -> says which are known',
    given: {
      parameters: { [parameter('name')]: "${pvc.annotations['x']}", [parameter('namespace')]: namespace },
    },
    says: /"\$\{pvc\.annotations\['x'\]\}".* is not known when a volume is deleted; known are pv\.name/,
  },
  {
    name: 'class names it by a template without an end -> says so, and does not take it for a name',
    given: { parameters: { [parameter('name')]: 'a-${pvc.name', [parameter('namespace')]: namespace } },
    says: /"a-\$\{pvc\.name": \$\{pvc\.name is not known/,
  },
  {
    name: 'secret can not be read -> not taken for one that is gone',
    given: {
      annotations: annotated('fixed'),
      error: new ApiError('GET secrets/fixed', 403, { reason: 'Forbidden' }),
    },
    says: /403/,
  },
])('$name', async ({ given, says }) => {
  await expect(secretOf('v', given)).rejects.toThrow(says);
});

/** What a driver is given of Secret `odd`, which the volume names. */
async function givenOf(data: unknown): Promise<ProvisionerSecret['values']> {
  const volume: PersistentVolume = {
    metadata: {
      name: 'v',
      uid: '1',
      resourceVersion: '2',
      annotations: {
        'volume.kubernetes.io/provisioner-deletion-secret-name': 'odd',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': namespace,
      },
    },
  };
  const client: Pick<ApiClient, 'get'> = {
    get: <T>() =>
      Promise.resolve({ metadata: { namespace, name: 'odd', uid: '3', resourceVersion: '4' }, data } as T),
  };
  return (await provisionerSecret(client, volume, {})).values;
}

test.each(['odd', 7, [], ['odd'], { password: 123456 }, { password: [1, 2] }])(
  'Issue 19: content of the Secret is %j -> nothing is given to the driver, and nothing of it is shown',
  async (data) => {
    await expect(givenOf(data)).rejects.toThrow('the data of Secret shop/odd can not be read: mend it');
  },
);

test('value in the Secret is null, as Go writes an empty one -> empty', async () => {
  expect(await givenOf({ password: null })).toEqual({ password: '' });
});

test.each(['odd', 7, ['odd'], { [parameter('name')]: 7, [parameter('namespace')]: 'shop' }])(
  'Issue 19: parameters of the class are %j -> not taken for a class without a Secret',
  async (parameters) => {
    await expect(secretOf('odd-class', { parameters: parameters as never })).rejects.toThrow(
      'the parameters of StorageClass odd-class can not be read: mend it',
    );
  },
);
