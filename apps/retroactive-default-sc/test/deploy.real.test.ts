import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

const suite = controlPlaneMissing({ backend: 'real' }) === undefined ? describe : describe.skip;
const name = 'retroactive-default-sc';
const namespace = 'holdfast-system';

suite('deploy/retroactive-default-sc on kube-apiserver', () => {
  let plane: RealControlPlane;
  let stage: Stage;
  let app: AppProcess | undefined;

  beforeAll(async () => {
    plane = await startRealControlPlane({ disableAdmissionPlugins: ['DefaultStorageClass'] });
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
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=0',
    ]));
    const hand = handOf(stage.client, await stage.namespace());
    await hand.createClaim('data');
    await eventually('the dry run was allowed', () => running.stderr().includes('allows claims to be given'));
    await hand.createClass('gold');
    await eventually('data has gold', async () => (await hand.classOf('data')) === 'gold');
    await eventually('an Event says so', async () => (await hand.eventsOn('data')).length > 0);
    const address = /"purpose":"metrics","address":"([^"]+)"/.exec(running.stderr())?.[1] ?? '';
    const metrics = await (await fetch(`http://${address}/metrics`)).text();
    expect(metrics).toMatch(/^retroactive_storageclass_total 1$/m);
    expect(metrics).toMatch(/^rest_client_requests_total\{code="201",method="POST"/m);
    expect(metrics).not.toMatch(/^rest_client_requests_total\{code="40[13]"/m);
    running.kill('SIGTERM');
    expect(await running.exit).toEqual({ code: 0, signal: null });
  }, 60_000);
});
