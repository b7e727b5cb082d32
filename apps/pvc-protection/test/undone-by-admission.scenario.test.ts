import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, pointer, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { eventually, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage } from './stage.ts';

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;
const policies = kindOf('MutatingAdmissionPolicy', 'mutatingadmissionpolicies');
const bindings = kindOf('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings');

function kindOf(kind: string, plural: string): ApiResource<KubernetesObject> {
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false };
}

const name = 'no-new-finalizers';
const policy = {
  metadata: { name },
  spec: {
    reinvocationPolicy: 'Never',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['UPDATE'],
          resources: ['persistentvolumeclaims'],
        },
      ],
    },
    matchConditions: [{ name: 'added', expression: 'has(object.metadata.finalizers)' }],
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/metadata/finalizers"}]' },
      },
    ],
  },
};

suite('finalizer that a policy takes out of every write', () => {
  const stage = useSuiteStage({
    startPlane: () =>
      startControlPlane({
        tls: false,
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      }),
    openStage,
  });

  test('counted as an error -> tried again, and there once the policy is gone', async () => {
    const { client } = stage();
    const namespace = await stage().namespace();
    const hand = handOf(client, namespace);
    await client.create(policies, undefined, policy);
    await client.create(bindings, undefined, { metadata: { name }, spec: { policyName: name } });
    await hand.createClaim('probe');
    await eventually('the policy counts', async () => {
      const { metadata } = await client.patch(persistentVolumeClaims, { namespace, name: 'probe' }, [
        { op: 'add', path: pointer('metadata', 'finalizers'), value: ['example.com/probe'] },
      ]);
      return metadata.finalizers === undefined;
    });
    await hand.createClaim('data');
    const { registry } = await stage().startController({});
    await eventually('it was tried', async () =>
      /operation="add",result="error"} [1-9]/.test(await registry.metrics()),
    );
    expect(await hand.finalizersOf('data')).toStrictEqual([]);
    await client.delete(bindings, { name });
    await eventually('the claim is protected', async () =>
      (await hand.finalizersOf('data')).includes(protection),
    );
  }, 60_000);
});
