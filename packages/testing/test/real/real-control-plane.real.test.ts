import type { IncomingMessage } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { startRealControlPlane, type RealControlPlane } from '../../src/real/real-control-plane.ts';
import { processUsage } from '../../src/real/process-usage.ts';
import { isAlive, until } from './until.ts';

const startBound = 90_000;

/** A describe that is skipped, with the reason in its name, where the binaries are missing. */
function describeReal(name: string, missing: string | undefined, suite: () => void): void {
  if (missing === undefined) {
    describe(name, suite);
  } else {
    describe.skip(`${name} (skipped: ${missing})`, suite);
  }
}

/** A request as the kubeconfig's user. */
async function call(
  plane: ControlPlane,
  method: string,
  path: string,
  body?: object,
): Promise<[number, unknown]> {
  const config = JSON.parse(plane.kubeconfig) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { token: string } }];
  };
  const { cluster } = config.clusters[0];
  const sent = request(`${cluster.server}${path}`, {
    method,
    agent: false,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
    headers: { authorization: `Bearer ${config.users[0].user.token}`, 'content-type': 'application/json' },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, JSON.parse(await text(response))];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const controllers = ['garbage-collector-controller', 'statefulset-controller'];

describeReal('real control plane', controlPlaneMissing({ backend: 'real', controllers }), () => {
  let plane: RealControlPlane;
  beforeAll(async () => {
    plane = await startRealControlPlane({
      controllers,
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      auditRules: [{ level: 'Metadata', verbs: ['create'], resources: [{ resources: ['configmaps'] }] }],
    });
  }, startBound);
  afterAll(() => plane.stop());

  test('audit rules -> what they choose is in the audit log when it is answered, and nothing else', async () => {
    const body = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const path = '/api/v1/namespaces/default/configmaps';
    expect((await call(plane, 'POST', path, body('audited')))[0]).toBe(201);
    expect((await call(plane, 'DELETE', `${path}/audited`))[0]).toBe(200);
    const lines = (await readFile(plane.auditLogFile ?? '', 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { readonly verb: string; readonly user: object });
    const ours = events.filter(({ user }) => JSON.stringify(user).includes('holdfast-admin'));
    expect(ours.map(({ verb }) => verb)).toContain('create');
    expect(new Set(events.map(({ verb }) => verb))).toEqual(new Set(['create']));
  });

  test("started -> its kubeconfig is a cluster admin's, for the URL given", async () => {
    expect(plane.backend).toBe('real');
    expect(JSON.parse(plane.kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: plane.url } }] });
    const review = { spec: { resourceAttributes: { verb: '*', group: '*', resource: '*' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const [status, answer] = await call(plane, 'POST', path, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      ...review,
    });
    expect(status).toBe(201);
    expect(answer).toMatchObject({ status: { allowed: true } });
  });

  test(
    'namespace created, API server killed and started again -> same URL, another process, namespace still there',
    async () => {
      const { url, apiServerPid } = plane;
      const [created] = await call(plane, 'POST', '/api/v1/namespaces', { metadata: { name: 'kept' } });
      expect(created).toBe(201);
      await plane.restartApiServer();
      expect(plane.url).toBe(url);
      expect(plane.apiServerPid).not.toBe(apiServerPid);
      expect(isAlive(apiServerPid)).toBe(false);
      const [status, namespace] = await call(plane, 'GET', '/api/v1/namespaces/kept');
      expect(status).toBe(200);
      expect(namespace).toMatchObject({ metadata: { name: 'kept' } });
    },
    startBound,
  );

  test('kubectl applies from stdin -> exit code 0; asks for what is not there -> exit code 1 and why', async () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } };
    const applied = await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(manifest) });
    expect(applied).toEqual({ stdout: 'configmap/c created\n', stderr: '', code: 0 });
    const missing = await plane.kubectl(['get', 'configmap', 'd']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('configmaps "d" not found');
  });

  test('owner deleted -> the garbage collector deletes what it owned', async () => {
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const [, owner] = await call(plane, 'POST', configMaps, { metadata: { name: 'owner' } });
    const { uid } = (owner as { metadata: { uid: string } }).metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await call(plane, 'POST', configMaps, { metadata: { name: 'owned', ownerReferences } });
    await call(plane, 'DELETE', `${configMaps}/owner`);
    await until('owned is gone', async () => (await call(plane, 'GET', `${configMaps}/owned`))[0] === 404);
  }, 60_000);

  test('pod created without a service account -> accepted, as no token controller runs', async () => {
    const [status] = await call(plane, 'POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
    });
    expect(status).toBe(201);
  });

  test('admission plugin disabled -> a claim gets no finalizer of it', async () => {
    const [status, claim] = await call(plane, 'POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(status).toBe(201);
    expect((claim as { metadata: object }).metadata).not.toHaveProperty('finalizers');
  });

  test(
    'controller manager stopped and started with other controllers -> another process that can be measured',
    async () => {
      const before = plane.controllerManagerPid ?? 0;
      await expect(plane.startControllerManager({ controllers })).rejects.toThrow('runs already');
      await plane.stopControllerManager();
      expect(plane.controllerManagerPid).toBeUndefined();
      expect(isAlive(before)).toBe(false);
      await expect(plane.startControllerManager({ controllers: ['no-such-controller'] })).rejects.toThrow(
        'no-such-controller',
      );
      await plane.startControllerManager({
        controllers: ['persistentvolumeclaim-protection-controller'],
        kubeApiQps: 100,
        kubeApiBurst: 200,
        extraArgs: ['--concurrent-gc-syncs=1'],
      });
      if (process.platform === 'linux') {
        const usage = await processUsage(plane.controllerManagerPid ?? 0);
        expect(usage.cpuSeconds).toBeGreaterThan(0);
        expect(usage.peakResidentBytes).toBeGreaterThan(20e6);
      }
    },
    startBound,
  );
});

describeReal(
  'lifetime of a real control plane',
  controlPlaneMissing({ backend: 'real', controllers }),
  () => {
    test(
      'stopped, twice -> no process and no folder is left',
      async () => {
        const plane = await startRealControlPlane({ controllers });
        const pids = [plane.apiServerPid, plane.controllerManagerPid ?? 0];
        expect(pids.map(isAlive)).toEqual([true, true]);
        const folder = dirname(plane.kubeconfigFile);
        expect(await exists(folder)).toBe(true);
        await Promise.all([plane.stop(), plane.stop()]);
        expect(pids.map(isAlive)).toEqual([false, false]);
        expect(await exists(folder)).toBe(false);
      },
      startBound,
    );

    test(
      'two started at once -> two worlds, each on its own port',
      async () => {
        const planes = await Promise.all([startRealControlPlane(), startRealControlPlane()]);
        try {
          const [one, other] = planes;
          expect(one.url).not.toBe(other.url);
          await call(one, 'POST', '/api/v1/namespaces', { metadata: { name: 'only-here' } });
          expect((await call(one, 'GET', '/api/v1/namespaces/only-here'))[0]).toBe(200);
          expect((await call(other, 'GET', '/api/v1/namespaces/only-here'))[0]).toBe(404);
          expect(one.controllerManagerPid).toBeUndefined();
        } finally {
          await Promise.all(planes.map((plane) => plane.stop()));
        }
      },
      startBound,
    );

    test(
      'API server refuses its flags -> throws with what it said, in seconds',
      async () => {
        const starting = startRealControlPlane({ apiServerFeatureGates: { NoSuchGate: true } });
        await expect(starting).rejects.toThrow(/kube-apiserver ended before it was ready.*\n[^]*NoSuchGate/);
      },
      startBound,
    );

    test(
      'owner killed by SIGKILL -> its processes end and its folder goes',
      async () => {
        const module = join(import.meta.dirname, '..', '..', 'src', 'real', 'real-control-plane.ts');
        const script = `
        import { startRealControlPlane } from ${JSON.stringify(module)};
        const plane = await startRealControlPlane({ controllers: ${JSON.stringify(controllers)} });
        console.log(JSON.stringify([plane.kubeconfigFile, plane.apiServerPid, plane.controllerManagerPid]));
      `;
        const owner = spawn(
          process.execPath,
          ['--conditions=@holdfast/source', '--input-type=module', '-e', script],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        );
        const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string];
        const [kubeconfigFile, ...pids] = JSON.parse(line) as [string, number, number];
        expect(pids.map(isAlive)).toEqual([true, true]);
        owner.kill('SIGKILL');
        await until('the processes have ended', () => !pids.some(isAlive));
        await until('the folder is gone', async () => !(await exists(dirname(kubeconfigFile))));
      },
      startBound,
    );
  },
);

describeReal(
  'real control plane of release 1.31',
  controlPlaneMissing({ backend: 'real', release: '1.31' }),
  () => {
    test(
      'gate off in the API server -> it drops the field',
      async () => {
        const plane = await startRealControlPlane({
          release: '1.31',
          apiServerFeatureGates: { StatefulSetAutoDeletePVC: false },
        });
        try {
          expect((await call(plane, 'GET', '/version'))[1]).toMatchObject({ gitVersion: 'v1.31.0' });
          const [status, set] = await call(plane, 'POST', '/apis/apps/v1/namespaces/default/statefulsets', {
            metadata: { name: 's' },
            spec: {
              serviceName: 's',
              selector: { matchLabels: { app: 's' } },
              template: {
                metadata: { labels: { app: 's' } },
                spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
              },
              persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
            },
          });
          expect(status).toBe(201);
          expect((set as { spec: object }).spec).not.toHaveProperty('persistentVolumeClaimRetentionPolicy');
        } finally {
          await plane.stop();
        }
      },
      startBound,
    );
  },
);
