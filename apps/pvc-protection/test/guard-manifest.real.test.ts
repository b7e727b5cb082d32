import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pods, validatingWebhookConfigurations } from '@holdfast/core';
import { eventually, makeNamespace, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type ControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

/** The condition as it is shipped, and the resources that it is for. */
const manifest = readFileSync(
  new URL('../../../deploy/pvc-protection/terminating-claim-guard/webhook.yaml', import.meta.url),
  'utf8',
);
const [, conditionName = '', expression = ''] = /- name: (\S+)\n +expression: (.+)\n/.exec(manifest) ?? [];
const resources = (/ resources: \[(.+)\]/.exec(manifest)?.[1] ?? '').split(', ');

describe.each(['1.36', '1.31'] as const)(
  'webhook of component terminating-claim-guard on Kubernetes %s',
  (release) => {
    const missing = controlPlaneMissing({ backend: 'real', release });
    if (missing !== undefined) {
      test.skip(`not run: ${missing}`, () => undefined);
      return;
    }
    let plane: ControlPlane;
    let stage: Stage;
    let app: AppProcess;
    let hand: Hand;
    let namespace: string;

    beforeAll(async () => {
      plane = await startRealControlPlane({ release });
      stage = await openStage(plane);
      const { client } = stage;
      await makeNamespace(client, 'holdfast-system');
      app = startApp('pvc-protection', [
        `--kubeconfig=${stage.kubeconfigFile}`,
        '--leader-elect-resource-namespace=nowhere',
        '--feature-gates=TerminatingClaimGuard=true',
        '--metrics-bind-address=127.0.0.1:0',
        '--metrics-secure=false',
        '--health-probe-bind-address=127.0.0.1:0',
        '--webhook-bind-address=127.0.0.1:0',
        '--webhook-self-signed',
        '--webhook-namespace=holdfast-system',
      ]);
      const url = `https://${await app.address('webhook')}/validate-v1-binding`;
      await client.create(validatingWebhookConfigurations, undefined, {
        metadata: { name: 'holdfast-pvc-protection' },
        webhooks: [
          {
            name: 'terminating-claim-guard.holdfast.dev',
            clientConfig: { url },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources }],
            matchConditions: [{ name: conditionName, expression }],
            // A call that is not made must show.
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
      namespace = await stage.namespace();
      hand = handOf(client, namespace);
      await hand.createClaim('doomed', { finalizers: ['example.com/keep'] });
      await hand.deleteClaim('doomed');
      let probes = 0;
      await eventually(
        'the guard is called, and trusted',
        async () => {
          const probe = await hand.createPod(`probe-${String(probes++)}`, 'doomed').catch(String);
          return typeof probe === 'string' && probe.includes('is in scheduled for deletion state');
        },
        60_000,
      );
    }, 120_000);

    afterAll(async () => {
      await app.end('SIGTERM');
      await stage.close();
      await plane.stop();
    }, 60_000);

    const calls = async (): Promise<number> => {
      const metrics = await app.metrics();
      const counted = [
        ...metrics.matchAll(
          /^controller_runtime_webhook_requests_total\{webhook="\/validate-v1-binding",code="200"\} (\d+)$/gm,
        ),
      ];
      expect(counted).toHaveLength(1);
      return Number(counted[0]?.[1]);
    };

    test('C4: pod created without a node -> never sent to the guard', async () => {
      const before = await calls();
      await hand.createPod('waits', 'doomed', { scheduled: false });
      expect(await calls()).toBe(before);
    });

    test('C4: pod created on a node, its claim is terminating -> refused', async () => {
      const before = await calls();
      await expect(hand.createPod('late', 'doomed')).rejects.toThrow(
        'PVC (doomed) is in scheduled for deletion state',
      );
      expect(await calls()).toBe(before + 1);
    });

    test('C4: pod bound to a node, its claim is terminating -> refused', async () => {
      await hand.createPod('bound-late', 'doomed', { scheduled: false });
      const binding = stage.client.create(
        { ...pods, kind: 'Binding', plural: 'pods/bound-late/binding' },
        namespace,
        { metadata: { name: 'bound-late' }, target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' } },
      );
      await expect(binding).rejects.toThrow('PVC (doomed) is in scheduled for deletion state');
    });

    test('C4: pod created on a node, its claim is not terminating -> created', async () => {
      await hand.createClaim('data');
      await hand.createPod('web', 'data');
    });
  },
);
