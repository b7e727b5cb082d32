import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { namespaces } from '@holdfast/core';
import { connect, loadKubeConfig } from '@holdfast/runtime';
import { eventually } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

/*
 * A user who loses patience with a terminating namespace takes its finalizers away: the namespace is gone, and what
 * was in it is still there. Writes to that are refused with 404, which names the namespace.
 */

const suite = controlPlaneMissing() === undefined ? describe : describe.skip;

suite('namespace that was taken away by force', () => {
  let plane: ControlPlane;
  let stage: Stage;

  beforeAll(async () => {
    plane = await startControlPlane({
      tls: false,
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    });
    stage = await openStage(plane);
  }, 90_000);
  afterAll(async () => {
    await stage.close();
    await plane.stop();
  }, 60_000);

  const takeAway = async (name: string): Promise<void> => {
    await stage.client.delete(namespaces, { name });
    const client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig: stage.kubeconfigFile, insecureHttp: true }),
      registry: new Registry(),
      program: 'user',
      version: '0',
    });
    await client.update(namespaces, { name }, (found) => ({ ...found, spec: { finalizers: [] } }), {
      subresource: 'finalize',
    });
    await client.close();
    await eventually(
      'the namespace is gone',
      async () => (await stage.find(namespaces, { name })) === undefined,
    );
  };

  test('its claim is no longer used, the namespace is made again -> the claim goes', async () => {
    const name = await stage.namespace();
    const hand = handOf(stage.client, name);
    await hand.createClaim('data', { finalizers: [protection] });
    await hand.createPod('web', 'data');
    await hand.deleteClaim('data');
    await takeAway(name);
    const { registry } = await stage.startController({}, { clock: stage.fastClock() });
    await hand.deletePod('web');
    await eventually('the finalizer could not be taken off', async () =>
      /operation="remove",result="(error|gone)"} [1-9]/.test(await registry.metrics()),
    );
    expect(await hand.finalizersOf('data')).toEqual([protection]);
    await stage.client.create(namespaces, undefined, { metadata: { name } });
    await eventually('data is gone', () => hand.claimIsGone('data'));
  }, 30_000);
});
