import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  mutatingWebhookConfigurations,
  persistentVolumeClaims,
  pods,
  validatingWebhookConfigurations,
  type JsonPatch,
} from '@holdfast/core';
import { makeNamespace, startApp, eventually, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

suite('webhooks of pvc-protection', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let app: AppProcess;

  const start = (...flags: readonly string[]): AppProcess =>
    startApp('pvc-protection', [
      `--kubeconfig=${stage.kubeconfigFile}`,
      // It never leads: whatever is on a claim here came by the webhook.
      '--leader-elect-resource-namespace=nowhere',
      '--feature-gates=TerminatingClaimGuard=true',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=127.0.0.1:0',
      '--webhook-bind-address=127.0.0.1:0',
      '--webhook-self-signed',
      '--webhook-namespace=holdfast-system',
      ...flags,
    ]);

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
    const { client } = stage;
    await makeNamespace(client, 'holdfast-system');
    app = start();
    const address = await app.address('webhook');
    const webhook = (name: string, path: string, resources: readonly string[]) => ({
      metadata: { name: 'holdfast-pvc-protection' },
      webhooks: [
        {
          name: `${name}.holdfast.dev`,
          clientConfig: { url: `https://${address}${path}` },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources }],
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    await client.create(
      mutatingWebhookConfigurations,
      undefined,
      webhook('pvc-protection', '/mutate-v1-persistentvolumeclaim', ['persistentvolumeclaims']),
    );
    await client.create(
      validatingWebhookConfigurations,
      undefined,
      webhook('guard', '/validate-v1-binding', ['pods', 'pods/binding']),
    );
    await eventually(
      'the certificate is trusted',
      async () => {
        const [mutating, validating] = await Promise.all([
          client.get(mutatingWebhookConfigurations, { name: 'holdfast-pvc-protection' }),
          client.get(validatingWebhookConfigurations, { name: 'holdfast-pvc-protection' }),
        ]);
        return [mutating, validating].every(
          ({ webhooks }) => webhooks?.[0]?.clientConfig.caBundle !== undefined,
        );
      },
      30_000,
    );
    // The API server learns of a configuration only a moment after it was written.
    const namespace = await stage.namespace();
    await eventually('new claims pass the webhook', async () => {
      try {
        const { metadata } = await client.create(persistentVolumeClaims, namespace, {
          metadata: { generateName: 'probe-' },
          spec: request,
        });
        return metadata.finalizers !== undefined;
      } catch {
        return false;
      }
    });
  }, 120_000);

  afterAll(async () => {
    await app.end('SIGTERM');
    await stage.close();
    await plane.stop();
  }, 60_000);

  test('claim created -> has the finalizer in the answer already', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    expect((await hand.createClaim('data')).metadata.finalizers).toEqual([protection]);
  });

  test('claim created with foreign finalizers -> ours comes last', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    const { metadata } = await hand.createClaim('data', { finalizers: ['example.com/a'] });
    expect(metadata.finalizers).toEqual(['example.com/a', protection]);
  });

  test('claim created with the finalizer -> not there twice', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    const { metadata } = await hand.createClaim('data', { finalizers: [protection] });
    expect(metadata.finalizers).toEqual([protection]);
  });

  const bind = (namespace: string, pod: string): Promise<unknown> =>
    stage.client.create({ ...pods, kind: 'Binding', plural: `pods/${pod}/binding` }, namespace, {
      metadata: { name: pod },
      target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
    });

  test('binding of a pod whose claim is terminating -> refused in the words of the design', async () => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    await hand.createClaim('data');
    await hand.createPod('web', 'data', { scheduled: false });
    await hand.deleteClaim('data');
    await expect(bind(namespace, 'web')).rejects.toThrow('PVC (data) is in scheduled for deletion state');
    expect((await stage.client.get(pods, { namespace, name: 'web' })).spec?.nodeName).toBeUndefined();
  });

  test('C4: pod created with its node named, its claim is terminating -> refused; without a node -> created', async () => {
    const hand = handOf(stage.client, await stage.namespace());
    await hand.createClaim('data');
    await hand.createPod('early', 'data');
    await hand.deleteClaim('data');
    await expect(hand.createPod('late', 'data')).rejects.toThrow(
      'PVC (data) is in scheduled for deletion state',
    );
    await hand.createPod('unscheduled', 'data', { scheduled: false });
  });

  test('binding of a pod whose claim is not terminating, or not there -> goes through', async () => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    await hand.createClaim('data');
    await hand.createPod('web', 'data', { scheduled: false });
    await hand.createPod('lost', 'nowhere', { scheduled: false });
    await bind(namespace, 'web');
    await bind(namespace, 'lost');
    for (const name of ['web', 'lost']) {
      expect((await stage.client.get(pods, { namespace, name })).spec?.nodeName).toBe('node-1');
    }
  });

  test('process in a dry run takes the webhooks over -> claims get no finalizer, and bindings go through', async () => {
    const { client } = stage;
    const namespace = await stage.namespace();
    const hand = handOf(client, namespace);
    const rehearsed = start('--dry-run');
    try {
      const address = await rehearsed.address('webhook');
      const moveTo = (path: string): JsonPatch => [
        { op: 'replace', path: '/webhooks/0/clientConfig/url', value: `https://${address}${path}` },
      ];
      const name = 'holdfast-pvc-protection';
      await client.patch(mutatingWebhookConfigurations, { name }, moveTo('/mutate-v1-persistentvolumeclaim'));
      await client.patch(validatingWebhookConfigurations, { name }, moveTo('/validate-v1-binding'));
      await eventually('new claims pass the webhook, and are left as they are', async () => {
        try {
          const { metadata } = await client.create(persistentVolumeClaims, namespace, {
            metadata: { generateName: 'probe-' },
            spec: request,
          });
          return metadata.finalizers === undefined;
        } catch {
          // It has no certificate yet.
          return false;
        }
      });
      await hand.createClaim('data', { finalizers: ['example.com/a'] });
      await hand.deleteClaim('data');
      await hand.createPod('web', 'data', { scheduled: false });
      await bind(namespace, 'web');
      expect((await client.get(pods, { namespace, name: 'web' })).spec?.nodeName).toBe('node-1');
    } finally {
      await rehearsed.end('SIGTERM');
    }
  }, 60_000);
});
