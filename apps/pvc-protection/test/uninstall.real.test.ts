import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeNamespace, startApp, useSuiteStage } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane } from '@holdfast/testing';
import { protection } from './objects.ts';
import { handOf, openStage } from './stage.ts';

const controllers = ['persistentvolumeclaim-protection-controller'];

describe.each(['1.36', '1.31'] as const)('--uninstall beside kube-controller-manager %s', (release) => {
  const missing = controlPlaneMissing({ backend: 'real', release, controllers });
  if (missing !== undefined) {
    test.skip(`not run: ${missing}`, () => undefined);
    return;
  }
  const stage = useSuiteStage({
    startPlane: () => startRealControlPlane({ release, controllers }),
    openStage,
  });

  beforeAll(async () => {
    await makeNamespace(stage().client, 'kube-system');
  }, 120_000);

  test('A1: claims have the finalizer -> taken off one, put back, and all is left to kube-controller-manager; exit 0', async () => {
    const hand = handOf(stage().client, await stage().namespace());
    for (const name of ['a', 'b', 'c']) {
      await hand.createClaim(name);
    }
    const app = startApp('pvc-protection', ['--uninstall', `--kubeconfig=${stage().kubeconfigFile}`]);
    const { code } = await app.exit;
    expect([code, `${app.stdout()}${app.stderr()}`]).toEqual([
      0,
      expect.stringContaining('Another controller puts the finalizer back'),
    ]);
    for (const name of ['a', 'b', 'c']) {
      expect(await hand.finalizersOf(name)).toEqual([protection]);
    }
  }, 90_000);
});
