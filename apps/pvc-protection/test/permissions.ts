import { writeFile } from 'node:fs/promises';
import { beforeAll, test } from '@jest/globals';
import { mutatingWebhookConfigurations, secrets, volumeAttachments } from '@holdfast/core';
import {
  eventually,
  makeNamespace,
  makeServiceAccount,
  testProcess,
  type AppProcess,
  type PolicyRule,
} from '@holdfast/scenario';
import { protection } from './objects.ts';
import { handOf, openStage } from './stage.ts';

const system = 'holdfast-system';
const ownName = 'holdfast-pvc-protection';
const secret = { namespace: system, name: 'holdfast-pvc-protection-webhook' };

/** Each verb of deploy/pvc-protection/role.yaml, written out: a verb more there is a failing test here. */
export const grants: readonly (readonly [resource: string, verb: string])[] = [
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

/** The app as its own service account, with the roles of its manifests. */
export interface PermissionsScene {
  /** Starts it as deployed: the lease is free, the secret is empty, the configuration trusts nobody. */
  deploy(
    suffix: string,
    edit: (rule: PolicyRule) => PolicyRule,
    flags?: readonly string[],
  ): Promise<AppProcess>;
  /**
   * Asks for all that the app ever does, each step when the one before has come true; ends before the next when it is
   * over.
   */
  play(isOver: () => boolean): Promise<void>;
}

/**
 * So that a lease that can be created but not renewed shows soon. The other durations stay, because a busy machine
 * might hold up a process for seconds: it would lose the lease and end before any renewal was refused.
 */
const quickLease = ['--leader-elect-retry-period=500ms'];

/** Declares the tests on one control plane, which each of them finds as the one before has left it. */
export function testPermissions(define: (scene: PermissionsScene) => void): void {
  testProcess(
    'permissions of deploy/pvc-protection',
    {
      app: 'pvc-protection',
      controlPlane: { disableAdmissionPlugins: ['StorageObjectInUseProtection'] },
      openStage,
    },
    (suite) => {
      beforeAll(() => makeNamespace(suite.stage.client, system));

      const deploy = async (
        suffix: string,
        edit: (rule: PolicyRule) => PolicyRule,
        flags: readonly string[] = [],
      ): Promise<AppProcess> => {
        const { plane, stage } = suite;
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
              rules: [
                { apiGroups: ['none'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
              ],
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
        return suite.start(
          `--kubeconfig=${kubeconfig}`,
          '--leader-elect',
          `--leader-elect-resource-namespace=${system}`,
          '--metrics-bind-address=127.0.0.1:0',
          '--webhook-bind-address=127.0.0.1:0',
          '--webhook-self-signed',
          `--webhook-namespace=${system}`,
          ...flags,
        );
      };

      const play = async (isOver: () => boolean): Promise<void> => {
        const { stage } = suite;
        const namespace = await stage.namespace();
        const hand = handOf(stage.client, namespace);
        const isNoted = async (holds: (note: string) => boolean): Promise<boolean> =>
          (await stage.eventsOn(namespace)).some(({ note = '' }) => holds(note));
        const steps: readonly {
          readonly take: () => Promise<unknown>;
          readonly until: string;
          readonly holds: () => Promise<boolean>;
        }[] = [
          {
            take: () => hand.createClaim('data', { volumeName: `${namespace}-data` }),
            until: 'the claim is protected',
            holds: async () => (await hand.finalizersOf('data')).includes(protection),
          },
          {
            take: async () => {
              await hand.createPod('web-0', 'data');
              await hand.createPod('web-1', 'data');
              await hand.createPod('other', 'data');
              await stage.client.create(volumeAttachments, undefined, {
                metadata: { name: namespace },
                spec: {
                  attacher: 'example.com',
                  nodeName: 'node-1',
                  source: { persistentVolumeName: `${namespace}-data` },
                },
              });
              await hand.deleteClaim('data');
              // A pod that begins to use the claim wakes nobody, so that the claim's deletion, where it is seen before
              // the pods, is recorded for some of them. One that goes does, and is seen after the others.
              await hand.deletePod('other');
            },
            until: 'the postponement for both pods is recorded',
            holds: () =>
              isNoted((note) => note.includes('web-0') && note.includes('web-1') && !note.includes('other')),
          },
          {
            take: () => hand.deletePod('web-1'),
            until: 'the change is recorded',
            holds: () => isNoted((note) => note.includes('web-0') && !note.includes('web-1')),
          },
          {
            // This Event is as the one before web-1 was deleted, which makes a series of it.
            take: async () => {
              await hand.createPod('web-1', 'data');
              await hand.createPod('other', 'data');
              await hand.deletePod('other');
            },
            until: 'the repetition is recorded',
            holds: async () => (await stage.eventsOn(namespace)).some(({ series }) => series !== undefined),
          },
          {
            take: async () => {
              await hand.deletePod('web-1');
              await hand.finishPod('web-0', 'Succeeded');
            },
            until: 'the finished pod holds the claim',
            holds: () => isNoted((note) => note.includes('still attached')),
          },
          {
            take: () => stage.client.delete(volumeAttachments, { name: namespace }),
            until: 'the claim is gone',
            holds: () => hand.claimIsGone('data'),
          },
          {
            take: () => Promise.resolve(),
            until: 'the configuration trusts the certificate',
            holds: async () => {
              const found = await stage.find(mutatingWebhookConfigurations, { name: ownName });
              return found?.webhooks?.[0]?.clientConfig.caBundle !== undefined;
            },
          },
        ];
        for (const { take, until, holds } of steps) {
          if (isOver()) {
            return;
          }
          await take();
          await eventually(until, async () => isOver() || (await holds()), 40_000);
        }
      };

      define({ deploy, play });
    },
  );
}

/** Of its metrics, the lines that count requests that were forbidden. */
export async function forbidden(process: AppProcess): Promise<readonly string[]> {
  return (await process.metrics())
    .split('\n')
    .filter((line) => line.startsWith('rest_client_requests_total{code="403"'));
}

/** By its metrics, or, where it has ended since it lost its lease by that, by its last words. */
async function wasForbidden(process: AppProcess): Promise<boolean> {
  try {
    return (await forbidden(process)).length > 0;
  } catch (error) {
    const { code, signal } = await process.exit;
    const said = process.stdout() + process.stderr();
    if (!/forbidden/i.test(said)) {
      throw new Error(`it ended (${String(code ?? signal)}) without being forbidden anything: ${said}`, {
        cause: error,
      });
    }
    return true;
  }
}

/** With any one verb less, something is forbidden. */
export function testLesserRoles({ deploy, play }: PermissionsScene): void {
  test.each(grants)(
    '%s without %s -> something is forbidden',
    async (resource, verb) => {
      const process = await deploy(
        `no-${resource}-${verb}`,
        (rule) =>
          rule.resources.includes(resource)
            ? { ...rule, verbs: rule.verbs.filter((each) => each !== verb) }
            : rule,
        resource === 'leases' ? quickLease : [],
      );
      let isForbidden = false;
      const watch = async (): Promise<void> => {
        await eventually('something is forbidden', () => wasForbidden(process), 60_000);
        isForbidden = true;
      };
      await Promise.all([watch(), play(() => isForbidden)]);
    },
    90_000,
  );
}
