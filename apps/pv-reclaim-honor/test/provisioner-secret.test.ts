import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { persistentVolumes, secrets, storageClasses, type PersistentVolume } from '@holdfast/core';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { provisionerSecrets } from '../src/provisioner-secret.ts';
import { openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane;
let stage: Stage;
let namespace: string;
const signal = new AbortController().signal;

beforeAll(async () => {
  plane = await startEmbeddedControlPlane();
  stage = await openStage(plane);
  namespace = await stage.namespace();
  for (const name of ['fixed', 'data-secret', 'pv-by-class']) {
    await stage.client.create(secrets, namespace, {
      metadata: { name },
      data: { from: Buffer.from(name).toString('base64') },
    });
  }
}, 30_000);

afterAll(async () => {
  await stage.close();
  await plane.stop();
});

const parameter = (part: string): string => `csi.storage.k8s.io/provisioner-secret-${part}`;

async function secretsOf(
  name: string,
  given: { annotations?: Record<string, string>; parameters?: Record<string, string> },
): Promise<Readonly<Record<string, string>>> {
  if (given.parameters !== undefined) {
    await stage.client.create(storageClasses, undefined, {
      metadata: { name },
      provisioner: 'csi.example.com',
      parameters: given.parameters,
    });
  }
  const volume = await stage.client.create<PersistentVolume>(persistentVolumes, undefined, {
    metadata: { name, annotations: given.annotations ?? {} },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: name,
      claimRef: { namespace, name: 'data' },
      csi: { driver: 'csi.example.com', volumeHandle: name },
    },
  });
  return provisionerSecrets(stage.client, volume, signal);
}

const annotated = (name: string, inNamespace = namespace) => ({
  'volume.kubernetes.io/provisioner-deletion-secret-name': name,
  'volume.kubernetes.io/provisioner-deletion-secret-namespace': inNamespace,
});

test('annotations name a secret -> its content, whatever the class says', async () => {
  const parameters = { [parameter('name')]: 'other', [parameter('namespace')]: namespace };
  expect(await secretsOf('annotated', { annotations: annotated('fixed'), parameters })).toEqual({
    from: 'fixed',
  });
});

test('annotations are empty -> no secret, whatever the class says', async () => {
  const parameters = { [parameter('name')]: 'fixed', [parameter('namespace')]: namespace };
  expect(await secretsOf('empty', { annotations: annotated('', ''), parameters })).toEqual({});
});

test('secret is gone -> none: the deletion must not hang on it', async () => {
  expect(await secretsOf('missing', { annotations: annotated('nowhere') })).toEqual({});
});

test('class is gone, or there is none that names a secret -> none', async () => {
  expect(await secretsOf('classless', {})).toEqual({});
  expect(await secretsOf('plain-class', { parameters: {} })).toEqual({});
});

test('class names it by templates -> resolved from volume and claim', async () => {
  const byClaim = { [parameter('name')]: '${pvc.name}-secret', [parameter('namespace')]: '${pvc.namespace}' };
  expect(await secretsOf('by-claim', { parameters: byClaim })).toEqual({ from: 'data-secret' });
  const byVolume = { csiProvisionerSecretName: 'pv-${pv.name}', csiProvisionerSecretNamespace: namespace };
  expect(await secretsOf('by-class', { parameters: byVolume })).toEqual({ from: 'pv-by-class' });
});

test('class names half a secret, or by an unknown template -> says which', async () => {
  await expect(secretsOf('half', { parameters: { [parameter('name')]: 'fixed' } })).rejects.toThrow(
    /StorageClass half names half a provisioner secret/,
  );
  const unknown = { [parameter('name')]: "${pvc.annotations['x']}", [parameter('namespace')]: namespace };
  await expect(secretsOf('unknown', { parameters: unknown })).rejects.toThrow(
    /is not known when a volume is deleted/,
  );
});
