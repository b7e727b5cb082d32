import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiResource, KubernetesObject } from '@holdfast/core';
import { eventually, letTimePass } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { handOf, openStage, settled, type Hand, type Stage } from './stage.ts';

const suite = controlPlaneMissing({ backend: 'real' }) === undefined ? describe : describe.skip;

const ofKind = (
  group: string,
  kind: string,
  plural: string,
  namespaced: boolean,
): ApiResource<KubernetesObject> => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const policies = ofKind(
  'admissionregistration.k8s.io',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
  false,
);
const bindings = ofKind(
  'admissionregistration.k8s.io',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
  false,
);
const quotas = ofKind('', 'ResourceQuota', 'resourcequotas', true);

suite('kube-apiserver refuses a class', () => {
  let plane: RealControlPlane;
  let stage: Stage;
  let namespace: string;
  let hand: Hand;
  let clock: FakeClock;

  beforeAll(async () => {
    plane = await startRealControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'] });
    stage = await openStage(plane);
  }, 90_000);

  afterEach(() => stage.stopControllers());

  afterAll(async () => {
    await stage.close();
    await plane.stop();
  }, 60_000);

  const scenario = (name: string, play: () => Promise<void>): void =>
    test(
      name,
      async () => {
        namespace = await stage.namespace();
        hand = handOf(stage.client, namespace);
        clock = createFakeClock();
        await hand.deleteAllClasses();
        await play();
      },
      60_000,
    );

  /** Waits until the API server would refuse the class to a claim of the scenario's namespace. */
  const refusing = async (className: string): Promise<void> => {
    await hand.createClaim('trial');
    await eventually('the API server refuses', async () => {
      const tried = await plane.kubectl([
        'patch',
        'pvc',
        'trial',
        `--namespace=${namespace}`,
        '--dry-run=server',
        `--patch={"spec":{"storageClassName":"${className}"}}`,
      ]);
      return tried.code !== 0;
    });
    await hand.deleteClaim('trial');
  };

  /**
   * The claim is left alone, an Event says why, and one elsewhere is served. No time passes, so that it is tried once.
   */
  const refused = async (words: string): Promise<void> => {
    const controller = await stage.startController({}, { clock });
    await eventually('an Event says why', async () =>
      (await hand.eventsOn('data')).some(
        ({ reason, note }) => reason === 'StorageClassAssignmentFailed' && note?.includes(words) === true,
      ),
    );
    await settled(handOf(stage.client, await stage.namespace()));
    expect(await hand.classOf('data')).toBeUndefined();
    expect(await controller.registry.metrics()).toMatch(/^retroactive_storageclass_errors_total 1$/m);
  };

  scenario(
    'a quota of the class -> left as it is, with an Event, and served when the quota has gone',
    async () => {
      const hard = { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '0' };
      await stage.client.create(quotas, namespace, { metadata: { name: 'q' }, spec: { hard } });
      await stage.client.patch(
        quotas,
        { namespace, name: 'q' },
        [
          {
            op: 'add',
            path: '/status',
            value: { hard, used: { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '0' } },
          },
        ],
        { subresource: 'status' },
      );
      await refusing('gold');
      await hand.createClaim('data');
      await hand.createClass('gold');
      await refused('exceeded quota: q');
      await stage.client.delete(quotas, { namespace, name: 'q' });
      await served();
    },
  );

  /**
   * Time passes, and the claim is tried again as often as it takes the API server to learn that nothing is in the way.
   */
  const served = async (): Promise<void> => {
    const stop = letTimePass(clock);
    await eventually('data has gold', async () => (await hand.classOf('data')) === 'gold');
    await stop();
  };

  for (const reason of ['Invalid', 'Forbidden']) {
    scenario(
      `a policy that denies with ${reason} -> left as it is, with an Event, and served when it has gone`,
      async () => {
        const name = `no-gold-${reason.toLowerCase()}`;
        await stage.client.create(policies, undefined, {
          metadata: { name },
          spec: {
            matchConstraints: {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
              resourceRules: [
                {
                  apiGroups: [''],
                  apiVersions: ['v1'],
                  operations: ['UPDATE'],
                  resources: ['persistentvolumeclaims'],
                },
              ],
            },
            validations: [
              { expression: '!has(object.spec.storageClassName)', message: 'no class here', reason },
            ],
          },
        });
        await stage.client.create(bindings, undefined, {
          metadata: { name },
          spec: { policyName: name, validationActions: ['Deny'] },
        });
        await refusing('gold');
        await hand.createClaim('data');
        await hand.createClass('gold');
        await refused('no class here');
        await stage.client.delete(bindings, { name });
        await served();
      },
    );
  }
});
