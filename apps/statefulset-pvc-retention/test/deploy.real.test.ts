import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventsV1 } from '@holdfast/core';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

const suite = controlPlaneMissing({ backend: 'real' }) === undefined ? describe : describe.skip;
const name = 'statefulset-pvc-retention';
const namespace = 'holdfast-system';

suite('deploy/statefulset-pvc-retention on kube-apiserver', () => {
  let plane: RealControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startRealControlPlane({
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      // Only who may delete an object may change its owners, and who says that it blocks its owner's deletion needs more.
      enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
    });
    stage = await openStage(plane);
    const base = fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
    const applied = await plane.kubectl(['apply', '--validate=strict', '-k', base]);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
  }, 90_000);

  afterAll(async () => {
    app?.kill('SIGKILL');
    await stage.close();
    await plane.stop();
  }, 60_000);

  test('the app as its own service account -> does all its work, and nothing is forbidden to it', async () => {
    const { stdout } = await plane.kubectl(['create', 'token', name, `--namespace=${namespace}`]);
    const config = JSON.parse(plane.kubeconfig) as { users: { user: object }[] };
    for (const user of config.users) {
      user.user = { token: stdout.trim() };
    }
    const kubeconfig = `${stage.kubeconfigFile}-of-the-app`;
    await writeFile(kubeconfig, JSON.stringify(config));
    const running = (app = startApp(name, [
      `--kubeconfig=${kubeconfig}`,
      `--leader-elect-resource-namespace=${namespace}`,
      '--feature-gates=CollectMissedScaleDown=true,DeletionGracePeriod=true',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=0',
    ]));
    const hand = handOf(stage, await stage.namespace());
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const;
    await hand.createSet({ policy });
    await hand.createSet({ name: 'slow', policy, annotations: { 'holdfast.dev/scale-down-grace': '1s' } });
    for (const set of ['web', 'slow']) {
      await hand.createClaim(`data-${set}-0`);
      await hand.createClaim(`data-${set}-1`);
      await hand.owned(`data-${set}-1`, `StatefulSet ${set}*`);
      await hand.scale(1, set);
    }
    await hand.gone('data-web-1', 'data-slow-1');
    expect(await hand.ownersOf('data-web-0')).toEqual(['StatefulSet web*']);
    await eventually('an Event says so', async () => {
      const { items } = await stage.client.list(eventsV1, { namespace: hand.namespace });
      return items.some(({ reason }) => reason === 'ClaimWillBeDeleted');
    });
    const address = /"purpose":"metrics","address":"([^"]+)"/.exec(running.stderr())?.[1] ?? '';
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    expect(metrics).toMatch(
      /^statefulset_pvc_owner_reference_updates_total\{operation="add",result="success"\} 4$/m,
    );
    expect(metrics).toMatch(
      /^statefulset_pvc_delayed_deletions_total\{operation="delete",result="success"\} 2$/m,
    );
    expect(metrics).not.toMatch(/^rest_client_requests_total\{code="40[13]"/m);
    running.kill('SIGTERM');
    expect(await running.exit).toEqual({ code: 0, signal: null });
  }, 60_000);
});
