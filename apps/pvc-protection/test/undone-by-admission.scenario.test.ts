import { describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, pointer, type ApiResource, type KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
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

/**
 * Has a policy take this out of every write to a resource.
 *
 * @param path of the field, for example `metadata.finalizers`.
 */
async function keepOut(client: ApiClient, resource: string, path: string): Promise<{ end(): Promise<void> }> {
  const name = `no-${path.toLowerCase()}`;
  const jsonPointer = pointer(...path.split('.'));
  await client.create(policies, undefined, {
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: [resource] },
        ],
      },
      matchConditions: [{ name: 'there', expression: `has(object.${path})` }],
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: `[JSONPatch{op: "remove", path: "${jsonPointer}"}]` },
        },
      ],
    },
  });
  await client.create(bindings, undefined, { metadata: { name }, spec: { policyName: name } });
  return { end: () => client.delete(bindings, { name }) };
}

suite('what a policy takes out of every write', () => {
  const stage = useSuiteStage({
    startPlane: () =>
      startControlPlane({
        tls: false,
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      }),
    openStage,
  });

  test('finalizer -> counted as an error, tried again, and there once the policy is gone', async () => {
    const { client } = stage();
    const namespace = await stage().namespace();
    const hand = handOf(client, namespace);
    const policy = await keepOut(client, 'persistentvolumeclaims', 'metadata.finalizers');
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
    await policy.end();
    await eventually('the claim is protected', async () =>
      (await hand.finalizersOf('data')).includes(protection),
    );
    await stage().stopControllers();
  }, 60_000);

  test('condition Unused -> counted as an error, tried again, and there once the policy is gone', async () => {
    const { client } = stage();
    const namespace = await stage().namespace();
    const ref = { namespace, name: 'data' };
    const policy = await keepOut(client, 'persistentvolumeclaims/status', 'status.conditions');
    await handOf(client, namespace).createClaim(ref.name);
    const condition = { type: 'Probe', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await eventually('the policy counts', async () => {
      const patch = [{ op: 'add', path: '/status/conditions', value: [condition] }] as const;
      const { status } = await client.patch(persistentVolumeClaims, ref, patch, { subresource: 'status' });
      return status?.conditions === undefined;
    });
    const { registry } = await stage().startController({ featureGates: 'ClaimUnusedCondition=true' });
    await eventually('it was tried', async () =>
      /reconcile_errors_total\{controller="claim-unused-condition"\} [1-9]/.test(await registry.metrics()),
    );
    await policy.end();
    await eventually('the claim has the condition', async () => {
      const { status } = await client.get(persistentVolumeClaims, ref);
      return status?.conditions?.some(({ type }) => type === 'Unused') === true;
    });
  }, 60_000);
});
