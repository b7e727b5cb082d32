import { expect, test } from '@jest/globals';
import { makeNamespace, startApp } from '@holdfast/scenario';
import { startEmbeddedControlPlane } from '@holdfast/testing';
import { handOf, openStage } from './stage.ts';

test('A1: --uninstall, a claim has its class by this app, another waits -> nothing to take back, nothing written, exit 0', async () => {
  const plane = await startEmbeddedControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'] });
  const stage = await openStage(plane);
  await makeNamespace(stage.client, 'kube-system');
  const hand = handOf(stage.client, await stage.namespace());
  await hand.createClaim('given', { className: 'gold' });
  await hand.createClaim('waits');
  await hand.createClass('gold');
  const versions = async () =>
    Promise.all(['given', 'waits'].map(async (name) => (await hand.claim(name)).metadata.resourceVersion));
  const before = await versions();
  const app = startApp('retroactive-default-sc', ['--uninstall', `--kubeconfig=${stage.kubeconfigFile}`]);
  const { code } = await app.exit;
  expect(`${app.stdout()}${app.stderr()}`).toContain('"steps":[],"msg":"Uninstalled"');
  expect([code, await versions()]).toEqual([0, before]);
  await stage.close();
  await plane.stop();
}, 60_000);
