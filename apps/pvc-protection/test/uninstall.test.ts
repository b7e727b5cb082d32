import { writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { persistentVolumeClaims, type JsonPatch } from '@holdfast/core';
import {
  connect,
  createTenure,
  loadKubeConfig,
  parseCommandLine,
  runManager,
  systemClock,
  type StepOptions,
} from '@holdfast/runtime';
import { eventually, makeNamespace, makeServiceAccount } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { command } from '../src/config.ts';
import { uninstallSteps } from '../src/uninstall/steps.ts';
import { protection } from './objects.ts';
import { handOf, openStage, settled, type Hand, type Stage } from './stage.ts';

jest.setTimeout(60_000);

const plan = createFaultPlan(1);
let plane: EmbeddedControlPlane;
let stage: Stage;
let namespace: string;
let hand: Hand;

beforeEach(async () => {
  plan.clear();
  plane = await startEmbeddedControlPlane({
    tls: false,
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  stage = await openStage(plane);
  await makeNamespace(stage.client, 'kube-system');
  namespace = await stage.namespace();
  hand = handOf(stage.client, namespace);
});
afterEach(async () => {
  await stage.close();
  await plane.stop();
});

/** A run of `--uninstall`, its log and what it wrote. */
interface Run {
  readonly code: number;
  readonly patches: number;
  said(message: string): Readonly<Record<string, unknown>> | undefined;
}

async function uninstall(
  argv: readonly string[] = [],
  patience = 0,
  kubeconfig = stage.kubeconfigFile,
): Promise<Run> {
  const line = parseCommandLine(command, ['--uninstall', ...argv], {});
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  const logged: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const registry = new Registry();
  const tenure = createTenure(systemClock);
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig, insecureHttp: true }),
    registry,
    program: 'uninstall',
    version: '0',
    dryRun: line.values.dryRun,
    tenure,
  });
  const written = (): number =>
    plane.apiServer.requests.all.filter(
      ({ verb, resource, userAgent }) =>
        verb === 'patch' && resource === 'persistentvolumeclaims' && userAgent.startsWith('uninstall/'),
    ).length;
  const before = written();
  const code = await runManager({
    version: '0',
    tenure,
    program: { name: 'uninstall', version: '0', flags: {} },
    config: line.values,
    client,
    logger: pino({ level: 'info' }, stream),
    registry,
    informers: [],
    controllers: [],
    uninstall: uninstallSteps({ client, waitForDetach: true, patience }),
  });
  return {
    code,
    patches: written() - before,
    said: (message) => logged.find(({ msg }) => msg === message),
  };
}

const ours = { finalizers: [protection] };

describe('A1: --uninstall', () => {
  test('claims used and unused, none terminating -> no finalizer is left, foreign ones are; a second run writes nothing', async () => {
    await hand.createClaim('unused', ours);
    await hand.createClaim('used', { finalizers: ['example.com/a', protection, 'example.com/b'] });
    await hand.createPod('web', 'used');
    const first = await uninstall();
    expect(first.code).toBe(0);
    expect(await hand.finalizersOf('unused')).toStrictEqual([]);
    expect(await hand.finalizersOf('used')).toEqual(['example.com/a', 'example.com/b']);
    const second = await uninstall();
    expect([second.code, second.patches]).toEqual([0, 0]);
    await hand.deleteClaim('unused');
    expect(await hand.claimIsGone('unused')).toBe(true);
  });

  test('terminating claim, a pod uses it -> stays, named with its pod, exit 1; others are done; the pod ends -> the next run lets it go', async () => {
    await hand.createClaim('held', ours);
    await hand.createClaim('other', ours);
    await hand.createPod('web', 'held');
    await hand.deleteClaim('held');
    const first = await uninstall();
    expect(first.code).toBe(1);
    expect(await hand.finalizersOf('held')).toEqual([protection]);
    expect(await hand.finalizersOf('other')).toStrictEqual([]);
    expect(first.said('Could not be taken back')).toMatchObject({
      key: `${namespace}/held`,
      reason: expect.stringContaining('held by pod web (InUse)'),
    });
    await hand.deletePod('web');
    const second = await uninstall();
    expect([second.code, second.patches]).toEqual([0, 1]);
    expect(await hand.claimIsGone('held')).toBe(true);
  });

  test('terminating claim, no pod uses it -> goes', async () => {
    await hand.createClaim('doomed', ours);
    await hand.deleteClaim('doomed');
    expect((await uninstall()).code).toBe(0);
    expect(await hand.claimIsGone('doomed')).toBe(true);
  });

  test('claim is deleted between look and write, a pod uses it -> stays', async () => {
    await hand.createClaim('held', ours);
    await hand.createPod('web', 'held');
    const [step] = uninstallSteps({ client: stage.client, waitForDetach: true, patience: 0 });
    const seen = await stage.client.get(persistentVolumeClaims, { namespace, name: 'held' });
    const patch = await step?.takeBack(seen, { signal: new AbortController().signal } as StepOptions);
    await hand.deleteClaim('held');
    await expect(
      stage.client.patch(persistentVolumeClaims, seen.metadata, patch as JsonPatch),
    ).rejects.toMatchObject({ code: 422 });
    expect(await hand.finalizersOf('held')).toEqual([protection]);
  });

  test('another controller puts the finalizer back -> all is left to it, exit 0', async () => {
    await stage.startController({});
    await settled(hand);
    for (const name of ['a', 'b', 'c']) {
      await hand.createClaim(name, ours);
    }
    const run = await uninstall([], 20_000);
    expect([run.code, run.patches]).toEqual([0, 1]);
    for (const name of ['a', 'b', 'c']) {
      expect(await hand.finalizersOf(name)).toEqual([protection]);
    }
    expect(JSON.stringify(run.said('Taken back'))).toContain('"takenBack":0');
  });

  test.each([
    { name: 'gone', finalizers: [protection] },
    { name: 'terminating, held by another finalizer', finalizers: [protection, 'example.com/a'] },
  ])(
    'the claim that is tried is deleted before the other controller is back ($name) -> another is tried, all is left to it',
    async ({ finalizers }) => {
      for (const name of ['a', 'b', 'c']) {
        await hand.createClaim(name, { finalizers });
      }
      const running = uninstall([], 20_000);
      const isTried = async (name: string): Promise<boolean> =>
        !(await hand.finalizersOf(name)).includes(protection);
      await eventually('a is tried', () => isTried('a'));
      await hand.deleteClaim('a');
      await eventually('b is tried', () => isTried('b'));
      await stage.startController({});
      expect([(await running).code, (await running).patches]).toEqual([0, 2]);
      for (const name of ['b', 'c']) {
        expect(await hand.finalizersOf(name)).toContain(protection);
      }
    },
  );

  test('each claim that is tried is deleted -> nothing is known, nothing else is taken off, exit 1', async () => {
    await hand.createClaim('a', ours);
    const running = uninstall([], 20_000);
    await eventually('a is tried', async () => !(await hand.finalizersOf('a')).includes(protection));
    await hand.createClaim('b', ours);
    await hand.deleteClaim('a');
    const { code, patches, said } = await running;
    expect([code, patches]).toEqual([1, 1]);
    expect(said('Could not be taken back')).toMatchObject({
      reason: expect.stringContaining('run this again'),
    });
    expect(await hand.finalizersOf('b')).toEqual([protection]);
  });

  test('condition Unused, ours and another’s, gate off by now -> ours is taken back', async () => {
    await stage.startController({
      featureGates: 'ClaimUnusedCondition=true,StorageObjectInUseProtection=false',
    });
    for (const name of ['data', 'foreign']) {
      await hand.createClaim(name);
    }
    const conditions = async (name: string) =>
      (await stage.client.get(persistentVolumeClaims, { namespace, name })).status?.conditions ?? [];
    for (const name of ['data', 'foreign']) {
      await eventually(`${name} has the condition`, async () => (await conditions(name)).length > 0);
    }
    await stage.stopControllers();
    await stage.client.patch(
      persistentVolumeClaims,
      { namespace, name: 'foreign' },
      [{ op: 'replace', path: '/status/conditions/0/message', value: 'upstream’s own' }],
      { subresource: 'status' },
    );
    expect((await uninstall()).code).toBe(0);
    expect(await conditions('data')).toStrictEqual([]);
    expect(await conditions('foreign')).toMatchObject([{ type: 'Unused', message: 'upstream’s own' }]);
  });

  test('each claim is deleted before it can be tried -> nothing is known, nothing is taken off, exit 1', async () => {
    await hand.createClaim('a', { finalizers: [protection, 'example.com/a'] });
    const deleteAndCreate = async (): Promise<void> => {
      await hand.deleteClaim('a');
      await hand.createClaim('b', ours);
    };
    plan.on(
      { verb: 'patch', resource: 'persistentvolumeclaims', name: 'a' },
      { kind: 'call', run: deleteAndCreate },
      { times: 1 },
    );
    const { code, said } = await uninstall();
    expect([code, await hand.finalizersOf('b')]).toEqual([1, [protection]]);
    expect(said('Could not be taken back')).toMatchObject({
      reason: expect.stringContaining('run this again'),
    });
  });

  test('writes are refused in the first namespace -> another controller is found by a claim of the next', async () => {
    await makeNamespace(stage.client, 'a-odd');
    const odd = handOf(stage.client, 'a-odd');
    for (let index = 0; index < 20; index++) {
      await odd.createClaim(`data-${String(index)}`, ours);
    }
    await hand.createClaim('kept', ours);
    plan.on(
      { verb: 'patch', resource: 'persistentvolumeclaims', namespace: 'a-odd' },
      { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
    );
    const [{ code, said }] = await Promise.all([
      uninstall([], 20_000),
      eventually('it is taken off', async () => (await hand.finalizersOf('kept')).length === 0).then(() =>
        stage.client.patch(persistentVolumeClaims, { namespace, name: 'kept' }, [
          { op: 'add', path: '/metadata/finalizers', value: [protection] },
        ]),
      ),
    ]);
    expect(
      said(
        'Another controller puts the finalizer back (kube-controller-manager, or a process of this app without the lease): left to it',
      ),
    ).toMatchObject({ namespace, claim: 'kept' });
    expect([code, await hand.finalizersOf('kept')]).toEqual([0, [protection]]);
  });

  test('writes are refused in the first twenty namespaces -> nothing is known, nothing is taken off in the next, exit 1', async () => {
    for (let index = 10; index < 30; index++) {
      const name = `a-odd-${String(index)}`;
      await makeNamespace(stage.client, name);
      await handOf(stage.client, name).createClaim('data', ours);
      plan.on(
        { verb: 'patch', resource: 'persistentvolumeclaims', namespace: name },
        { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
      );
    }
    await hand.createClaim('kept', ours);
    const { code, said } = await uninstall();
    expect([code, await hand.finalizersOf('kept')]).toEqual([1, [protection]]);
    expect(said('Could not be taken back')).toMatchObject({
      reason: expect.stringContaining('a policy says no'),
    });
  });

  test('writes to one claim are refused by a policy -> named, others are done, exit 1', async () => {
    for (const name of ['a', 'odd', 'z']) {
      await hand.createClaim(name, ours);
    }
    plan.on(
      { verb: 'patch', resource: 'persistentvolumeclaims', name: 'odd' },
      { kind: 'status', code: 403, reason: 'Forbidden', message: 'a policy says no' },
    );
    const run = await uninstall();
    expect(run.code).toBe(1);
    expect(run.said('Could not be taken back')).toMatchObject({ key: `${namespace}/odd` });
    expect([await hand.finalizersOf('a'), await hand.finalizersOf('z')]).toEqual([[], []]);
  });

  test('as the service account of the Job, with the roles of the manifests -> all is taken back, nothing is forbidden', async () => {
    const system = 'holdfast-system';
    await makeNamespace(stage.client, system);
    const kubeconfig = `${stage.kubeconfigFile}-job`;
    const text = await makeServiceAccount({
      client: stage.client,
      kubeconfig: plane.kubeconfig,
      roles: ['pvc-protection/uninstall/role.yaml'],
      namespace: system,
      suffix: 'job',
    });
    await writeFile(kubeconfig, text);
    await hand.createClaim('data', ours);
    await hand.createClaim('doomed', { ...ours, volumeName: 'volume' });
    await hand.createPod('done', 'doomed');
    await hand.finishPod('done', 'Succeeded');
    await hand.deleteClaim('doomed');
    const condition = {
      type: 'Unused',
      status: 'True',
      message: 'No pod that may run names this claim.',
    };
    await stage.client.patch(
      persistentVolumeClaims,
      { namespace, name: 'data' },
      [{ op: 'add', path: '/status/conditions', value: [condition] }],
      { subresource: 'status' },
    );
    const run = await uninstall([`--leader-elect-resource-namespace=${system}`], 1_000, kubeconfig);
    expect([run.code, run.said('Permission is missing')]).toEqual([0, undefined]);
    const { metadata, status } = await stage.client.get(persistentVolumeClaims, { namespace, name: 'data' });
    expect([metadata.finalizers, status?.conditions ?? []]).toEqual([undefined, []]);
    expect(await hand.claimIsGone('doomed')).toBe(true);
  });

  test('dry run -> nothing stored, no claim is tried', async () => {
    await hand.createClaim('data', ours);
    expect((await uninstall(['--dry-run'])).code).toBe(0);
    expect(await hand.finalizersOf('data')).toEqual([protection]);
  });
});
