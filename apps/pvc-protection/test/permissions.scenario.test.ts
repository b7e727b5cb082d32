import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mutatingWebhookConfigurations, secrets, volumeAttachments } from '@holdfast/core';
import {
  eventually,
  makeNamespace,
  makeServiceAccount,
  startApp,
  type AppProcess,
  type PolicyRule,
} from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

/*
 * The app as its own service account, with the roles of its manifests: all its work is done and nothing is forbidden; with any
 * one verb less something is.
 */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const system = 'holdfast-system';
const ownName = 'holdfast-pvc-protection';
const secret = { namespace: system, name: 'holdfast-pvc-protection-webhook' };

/** Each verb of deploy/pvc-protection/role.yaml, written out: a verb more there is a failing test here. */
const grants: readonly (readonly [resource: string, verb: string])[] = [
  ['persistentvolumeclaims', 'watch'],
  ['persistentvolumeclaims', 'patch'],
  ['pods', 'list'],
  ['pods', 'watch'],
  ['volumeattachments', 'list'],
  ['volumeattachments', 'watch'],
  ['events', 'create'],
  ['events', 'patch'],
  ['mutatingwebhookconfigurations', 'get'],
  ['mutatingwebhookconfigurations', 'patch'],
  ['leases', 'create'],
  ['leases', 'get'],
  ['leases', 'patch'],
  ['secrets', 'get'],
  ['secrets', 'patch'],
];

suite('permissions of deploy/pvc-protection', () => {
  let plane: ControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
    await makeNamespace(stage.client, system);
  }, 90_000);

  afterEach(async () => {
    app?.kill('SIGKILL');
    await app?.exit;
  });

  afterAll(async () => {
    await stage.close();
    await plane.stop();
  }, 60_000);

  /** As deployed: the lease is free, the secret is empty, the configuration trusts nobody. */
  const deploy = async (suffix: string, edit: (rule: PolicyRule) => PolicyRule): Promise<AppProcess> => {
    const { client } = stage;
    const leases = {
      group: 'coordination.k8s.io',
      version: 'v1',
      kind: 'Lease',
      plural: 'leases',
      namespaced: true,
    };
    for (const [resource, ref] of [
      [leases, { namespace: system, name: ownName }],
      [secrets, secret],
      [mutatingWebhookConfigurations, { name: ownName }],
    ] as const) {
      if ((await stage.find(resource, ref)) !== undefined) {
        await client.delete(resource, ref);
      }
    }
    await client.create(secrets, system, { metadata: { name: secret.name } });
    await client.create(mutatingWebhookConfigurations, undefined, {
      metadata: { name: ownName },
      webhooks: [
        {
          name: 'pvc-protection.holdfast.dev',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          // Nothing comes by: what is watched here is the certificate's way into the configuration.
          rules: [{ apiGroups: ['none'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const kubeconfig = `${stage.kubeconfigFile}-${suffix}`;
    const text = await makeServiceAccount({
      client,
      kubeconfig: plane.kubeconfig,
      roles: ['pvc-protection/role.yaml'],
      namespace: system,
      suffix,
      edit,
    });
    await writeFile(kubeconfig, text);
    return (app = startApp('pvc-protection', [
      `--kubeconfig=${kubeconfig}`,
      `--leader-elect-resource-namespace=${system}`,
      // Quick, so that a lease that can be created but not renewed shows soon.
      '--leader-elect-lease-duration=4s',
      '--leader-elect-renew-deadline=3s',
      '--leader-elect-retry-period=500ms',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=0',
      '--webhook-bind-address=127.0.0.1:0',
      '--webhook-self-signed',
      `--webhook-namespace=${system}`,
    ]));
  };

  /** Asks for all that the app ever does; each step waits for what it needs, or for the app to be forbidden something. */
  const play = async (isOver: () => Promise<boolean>): Promise<void> => {
    const namespace = await stage.namespace();
    const hand = handOf(stage.client, namespace);
    const until = (what: string, holds: () => Promise<boolean>): Promise<void> =>
      eventually(what, async () => (await holds()) || (await isOver()), 40_000);
    const events = async () => (await stage.eventsOn(namespace)).length;

    await hand.createClaim('data', { volumeName: `${namespace}-data` });
    await until('the claim is protected', async () => (await hand.finalizersOf('data')).includes(protection));
    for (const pod of ['web-0', 'web-1']) {
      await hand.createPod(pod, 'data');
    }
    await stage.client.create(volumeAttachments, undefined, {
      metadata: { name: namespace },
      spec: {
        attacher: 'example.com',
        nodeName: 'node-1',
        source: { persistentVolumeName: `${namespace}-data` },
      },
    });
    await hand.deleteClaim('data');
    await until('the postponement is told', async () => (await events()) >= 1);
    // Each change is told; the third is as the first, which makes a series of it.
    await hand.deletePod('web-1');
    await until('the change is told', async () => (await events()) >= 2);
    await hand.createPod('web-1', 'data');
    await hand.createPod('other', 'data');
    await hand.deletePod('other');
    await until('the repetition is told', async () =>
      (await stage.eventsOn(namespace)).some(({ series }) => series !== undefined),
    );
    await hand.deletePod('web-1');
    await hand.finishPod('web-0', 'Succeeded');
    await until('the finished pod holds it', async () => (await events()) >= 3);
    await stage.client.delete(volumeAttachments, { name: namespace });
    await until('the claim is gone', () => hand.claimIsGone('data'));
    await until('the configuration trusts us', async () => {
      const found = await stage.find(mutatingWebhookConfigurations, { name: ownName });
      return found?.webhooks?.[0]?.clientConfig.caBundle !== undefined;
    });
  };

  const forbidden = async (running: AppProcess): Promise<readonly string[]> => {
    const address = /"purpose":"metrics","address":"([^"]+)"/.exec(running.stderr())?.[1];
    if (address === undefined) {
      return [];
    }
    const text = await fetch(`http://${address}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    return text.split('\n').filter((line) => line.startsWith('rest_client_requests_total{code="403"'));
  };

  test('all that the manifest grants -> everything is done, nothing is forbidden', async () => {
    const seen: string[] = [];
    const running = await deploy('whole', (rule) => {
      seen.push(...rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${resource} ${verb}`)));
      return rule;
    });
    await play(() => Promise.resolve(false));
    expect(await forbidden(running)).toEqual([]);
    const known = [
      ...grants,
      // For API servers that do not stream lists; where they do, watch is enough.
      ['persistentvolumeclaims', 'list'],
      // The guard's configuration is in its component; the role names both in one rule.
      ['validatingwebhookconfigurations', 'get'],
      ['validatingwebhookconfigurations', 'patch'],
    ];
    expect(new Set(seen)).toEqual(new Set(known.map(([resource, verb]) => `${resource} ${verb}`)));
  }, 90_000);

  test.each(grants)(
    '%s without %s -> something is forbidden',
    async (resource, verb) => {
      const running = await deploy(`no-${resource}-${verb}`, (rule) =>
        rule.resources.includes(resource)
          ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) }
          : rule,
      );
      const isOver = async (): Promise<boolean> => (await forbidden(running)).length > 0;
      await play(isOver);
      await eventually('something is forbidden', isOver);
    },
    90_000,
  );
});
