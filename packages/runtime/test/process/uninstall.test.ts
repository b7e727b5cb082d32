import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  collectionPath,
  configMaps,
  leases,
  namespaces,
  type ApiResource,
  type ConfigMap,
  type JsonPatch,
  type KubernetesObject,
} from '@holdfast/core';
import {
  ApiError,
  connect,
  createTenure,
  loadKubeConfig,
  parseCommandLine,
  runManager,
  runtimeFlags,
  systemClock,
  UsageError,
  type ConnectedClient,
  type UninstallStep,
} from '@holdfast/runtime';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { runStep } from '../../src/process/run-step.ts';

// A busy machine takes its time.
jest.setTimeout(120_000);

const mark = 'example.com/mark';
const step: UninstallStep<ConfigMap> = {
  what: `annotation ${mark}`,
  resource: configMaps,
  takeBack: ({ metadata }): JsonPatch | undefined => {
    const path = '/metadata/annotations/example.com~1mark';
    const value = metadata.annotations?.[mark];
    return value === undefined
      ? undefined
      : [
          { op: 'test', path, value },
          { op: 'remove', path },
        ];
  },
};

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false } as const;
const clusterRoles: ApiResource<KubernetesObject> = { ...rbac, kind: 'ClusterRole', plural: 'clusterroles' };
const bindings: ApiResource<KubernetesObject> = {
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
};

let plane: EmbeddedControlPlane;
let folder: string;
let kubeconfig: string;
let admin: ConnectedClient;
const clients: ConnectedClient[] = [];

async function clientAs(token?: string, dryRun = false): Promise<ConnectedClient> {
  const path = join(folder, token ?? 'kubeconfig');
  const text =
    token === undefined ? plane.kubeconfig : plane.kubeconfig.replace(/("token": ?)"[^"]*"/, `$1"${token}"`);
  await writeFile(path, text);
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig: path, insecureHttp: true }),
    registry: new Registry(),
    program: 'test',
    version: '0',
    dryRun,
  });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-uninstall-'));
  kubeconfig = join(folder, 'kubeconfig');
});
afterAll(() => rm(folder, { recursive: true }));

/** @param tls for a process, which is given a kubeconfig as users have it. */
async function open(tls: boolean): Promise<void> {
  plane = await startEmbeddedControlPlane({ tls, users: [{ token: 'token-of-reader', name: 'reader' }] });
  admin = await clientAs();
  for (const name of ['shop', 'bank', 'kube-system']) {
    await admin.create(namespaces, undefined, { metadata: { name } }).catch(() => undefined);
  }
}
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await plane.stop();
});

/** Past the network: hundreds of them would take a second of CPU time. */
async function createMaps(count: number, namespace = 'shop', isMarked = true): Promise<void> {
  const annotations = isMarked ? { [mark]: 'yes', 'example.com/other': 'stays' } : {};
  for (let n = 0; n < count; n++) {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${String(n)}`, annotations } };
    const path = collectionPath(configMaps, namespace);
    const { code } = await plane.apiServer.handle('POST', path, JSON.stringify(map));
    expect(code).toBe(201);
  }
}

const boxes: ApiResource<KubernetesObject> = {
  ...{ group: 'example.com', version: 'v1', kind: 'Box', plural: 'boxes', namespaced: true },
};

/** Makes the server serve a kind of group example.com. */
async function serve(plural: string, kind: string): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definition = {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect((await plane.apiServer.handle('POST', path, JSON.stringify(definition))).code).toBe(201);
}

async function marked(): Promise<number> {
  const { items } = await admin.list(configMaps);
  return items.filter(({ metadata }) => metadata.annotations?.[mark] !== undefined).length;
}

/** What a run logged, and the requests that it sent. */
interface Run {
  readonly code: number;
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  readonly requests: Readonly<Record<string, number>>;
  said(message: string): Readonly<Record<string, unknown>> | undefined;
}

const program = { name: 'app', version: '1', flags: {} };

interface RunOptions {
  readonly argv?: readonly string[];
  readonly steps?: readonly UninstallStep<KubernetesObject>[];
  readonly client?: ConnectedClient;
  readonly leases?: ConnectedClient;
  readonly signal?: AbortSignal;
}

async function uninstall({
  argv = [],
  steps = [step],
  client,
  leases,
  signal,
}: RunOptions = {}): Promise<Run> {
  const command = { name: 'app', version: '1', description: 'An app.', flags: runtimeFlags('app', {}) };
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
  const requests: Record<string, number> = {};
  const count = (verb: string, plural: string): void => {
    requests[`${verb} ${plural}`] = (requests[`${verb} ${plural}`] ?? 0) + 1;
  };
  const inner = client ?? (await clientAs());
  const counting: ConnectedClient = {
    ...inner,
    listPages: async function* (resource, options) {
      for await (const page of inner.listPages(resource, options)) {
        count('list', resource.plural);
        yield page;
      }
    },
    patch: (resource, ...rest) => {
      count('patch', resource.plural);
      return inner.patch(resource, ...rest);
    },
  };
  const code = await runManager({
    version: '1',
    config: line.values,
    client: counting,
    logger: pino({ level: 'info' }, stream),
    registry: new Registry(),
    informers: [],
    controllers: [],
    uninstall: steps,
    tenure: createTenure(systemClock),
    program,
    ...(leases === undefined ? {} : { leases }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { code, logged, requests, said: (message) => logged.find(({ msg }) => msg === message) };
}

describe('A1: --uninstall', () => {
  beforeEach(() => open(false));

  test('its caller aborts it -> exit code 1, and a second run does the rest', async () => {
    await createMaps(3);
    const end = new AbortController();
    const inner = await clientAs();
    const client: ConnectedClient = {
      ...inner,
      patch: (...request) => {
        end.abort(new Error('the caller has changed its mind'));
        return inner.patch(...request);
      },
    };
    const first = await uninstall({ client, signal: end.signal });
    expect([first.code, first.said('Stopped half way: run this again')]).toEqual([
      1,
      expect.objectContaining({ reason: 'Error: stopped by its caller' }),
    ]);
    expect((await uninstall()).code).toBe(0);
    expect(await marked()).toBe(0);
  });

  test('510 objects, 30 with something of ours -> a patch for each, two looks, nothing left; a second run changes nothing', async () => {
    // Objects of ours are on both pages of a list.
    await createMaps(30);
    await createMaps(480, 'bank', false);
    expect(await marked()).toBe(30);
    const first = await uninstall();
    expect(first.code).toBe(0);
    expect(await marked()).toBe(0);
    expect(first.requests).toMatchObject({ 'list configmaps': 4, 'patch configmaps': 30 });
    expect(first.said('Taken back')).toMatchObject({
      what: `annotation ${mark}`,
      // In each look, also the one that the API server makes for itself in kube-system.
      seen: 1_022,
      takenBack: 30,
      outdated: 0,
      refused: 0,
    });
    const one = await admin.get(configMaps, { namespace: 'shop', name: 'map-0' });
    expect(one.metadata.annotations).toEqual({ 'example.com/other': 'stays' });

    const second = await uninstall();
    expect(second.code).toBe(0);
    expect(second.requests['patch configmaps']).toBeUndefined();
    expect(second.requests['list configmaps']).toBe(2);
    expect(second.said('Taken back')).toMatchObject({ seen: 511, takenBack: 0 });
    // The lease is free for whoever comes.
    const lease = await admin.get(leases, { namespace: 'kube-system', name: 'app' });
    expect(lease.spec?.holderIdentity ?? '').toBe('');
  });

  test('the patches have used up the rate limit -> the lease, which has a client of its own, is kept', async () => {
    await createMaps(3);
    const inner = await clientAs();
    const client: ConnectedClient = {
      ...inner,
      get: (resource, ...rest) =>
        resource.kind === 'Lease' ? new Promise(() => undefined) : inner.get(resource, ...rest),
    };
    const run = await uninstall({
      client,
      leases: await clientAs(),
      // Longer than a busy machine might hold up the renewals.
      argv: [
        '--leader-elect-lease-duration=10s',
        '--leader-elect-renew-deadline=8s',
        '--leader-elect-retry-period=50ms',
      ],
    });
    expect([run.code, await marked()]).toEqual([0, 0]);
  });

  test('lease is held by a live process -> nothing is touched, exit 1, the log names holder and way out', async () => {
    await createMaps(3);
    // Longer than a busy machine might hold up the renewals.
    const spec = { holderIdentity: 'app-1', leaseDurationSeconds: 10 };
    await admin.create(leases, 'kube-system', { metadata: { name: 'app' }, spec });
    const stop = new AbortController();
    const renewing = (async () => {
      for (let n = 1; !stop.signal.aborted; n++) {
        const path = '/spec/leaseTransitions';
        await admin.patch(leases, { namespace: 'kube-system', name: 'app' }, [{ op: 'add', path, value: n }]);
        await pass(100);
      }
    })();
    const run = await uninstall({
      argv: [
        '--leader-elect-lease-duration=1s',
        '--leader-elect-renew-deadline=500ms',
        '--leader-elect-retry-period=50ms',
      ],
    });
    stop.abort();
    await renewing;
    expect(run.code).toBe(1);
    expect(await marked()).toBe(3);
    expect(run.logged.at(-1)).toMatchObject({
      holder: 'app-1',
      msg: expect.stringContaining('scale the Deployment to zero'),
    });
  });

  test('objects change under our hands, requests fail -> looked at again until nothing is left', async () => {
    await createMaps(30);
    const inner = await clientAs();
    let patches = 0;
    let lists = 0;
    const client: ConnectedClient = {
      ...inner,
      listPages: (resource, options) => {
        if (lists++ === 0) {
          throw new ApiError('GET /', 410, { reason: 'Expired' });
        }
        return inner.listPages(resource, options);
      },
      patch: (resource, ref, ...rest) => {
        patches += resource.plural === 'configmaps' ? 1 : 0;
        if (resource.plural === 'configmaps' && patches <= 10) {
          const error =
            patches % 2 === 0
              ? new ApiError('PATCH /', 409, { reason: 'Conflict' })
              : new Error('socket hang up');
          return Promise.reject(error);
        }
        return inner.patch(resource, ref, ...rest);
      },
    };
    const run = await uninstall({ client });
    expect([run.code, await marked()]).toEqual([0, 0]);
    expect(run.said('Taken back')).toMatchObject({ takenBack: 30, outdated: 5 });
  });

  test('one object is refused, one odd one can not be read -> named, the others are done, exit 1', async () => {
    await createMaps(30);
    const inner = await clientAs();
    const client: ConnectedClient = {
      ...inner,
      patch: (resource, ref, ...rest) =>
        ref.name === 'map-7'
          ? Promise.reject(
              new ApiError('PATCH /map-7', 422, { reason: 'Invalid', message: 'a policy says no' }),
            )
          : inner.patch(resource, ref, ...rest),
    };
    const odd: UninstallStep<ConfigMap> = {
      ...step,
      takeBack: (map, options) => {
        if (map.metadata.name === 'map-9') {
          throw new TypeError('finalizers is not iterable');
        }
        return step.takeBack(map, options);
      },
    };
    const run = await uninstall({ client, steps: [odd] });
    expect([run.code, await marked()]).toEqual([1, 2]);
    const named = run.logged.filter(({ msg }) => msg === 'Could not be taken back');
    expect(named.map(({ key }) => key).toSorted()).toEqual(['shop/map-7', 'shop/map-9']);
    expect(run.said('Not uninstalled')).toBeDefined();
  });

  test.each([
    {
      verbs: ['get'],
      missing: 'list resource "configmaps" in API group "" at the cluster scope',
      patches: 0,
    },
    {
      verbs: ['list'],
      missing: 'patch resource "configmaps" in API group "" in the namespace "shop"',
      patches: 10,
    },
  ])('role has only $verbs -> what is missing is named, exit 1', async ({ verbs, missing, patches }) => {
    await createMaps(30);
    await admin.create(clusterRoles, undefined, {
      metadata: { name: 'reader' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
      ],
    });
    await admin.create(bindings, undefined, {
      metadata: { name: 'reader' },
      subjects: [{ kind: 'User', apiGroup: rbac.group, name: 'reader' }],
      roleRef: { kind: 'ClusterRole', apiGroup: rbac.group, name: 'reader' },
    });
    const run = await uninstall({ client: await clientAs('token-of-reader') });
    expect(run.code).toBe(1);
    expect(run.said('Permission is missing')).toMatchObject({ missing });
    // Who is denied once is not asked for all.
    expect(run.requests['patch configmaps'] ?? 0).toBeLessThanOrEqual(patches);
    expect(await marked()).toBe(30);
  });

  test('dry run -> one look, nothing stored, the lease is not needed', async () => {
    await createMaps(5);
    const run = await uninstall({ client: await clientAs(undefined, true), argv: ['--dry-run'] });
    expect(run.code).toBe(0);
    expect(run.said('Taken back')).toMatchObject({ seen: 6, takenBack: 5 });
    expect(run.requests).toEqual({ 'list configmaps': 1, 'patch configmaps': 5 });
    expect(await marked()).toBe(5);
    // The identity of the API server is the only one.
    expect((await admin.list(leases)).items).toMatchObject([{ metadata: { namespace: 'kube-system' } }]);
  });

  test('something is to be known of what was taken back -> logged with the name of the object, once, in a dry run too', async () => {
    await createMaps(3);
    const noticing: UninstallStep<ConfigMap> = {
      ...step,
      notice: ({ metadata }) => (metadata.name === 'map-1' ? 'its twin stays' : undefined),
    };
    const noticed = (run: Run) =>
      run.logged
        .filter(({ notice }) => notice !== undefined)
        .map(({ level, key, notice, msg }) => ({ level, key, notice, msg }));
    const line = {
      level: 40,
      key: 'shop/map-1',
      notice: 'its twin stays',
      msg: 'Taken back, mind the notice',
    };
    const dry = await uninstall({
      client: await clientAs(undefined, true),
      argv: ['--dry-run'],
      steps: [noticing],
    });
    expect(noticed(dry)).toEqual([line]);
    expect(noticed(await uninstall({ steps: [noticing] }))).toEqual([line]);
    expect(noticed(await uninstall({ steps: [noticing] }))).toStrictEqual([]);
  });

  test('--namespaces -> only there', async () => {
    await createMaps(5);
    await createMaps(4, 'bank');
    expect((await uninstall({ argv: ['--namespaces=shop'] })).code).toBe(0);
    expect(await marked()).toBe(4);
  });

  test('kind that the server does not serve -> nothing of ours is there', async () => {
    const run = await uninstall({ steps: [{ ...step, resource: boxes }] });
    expect([run.code, run.said('Taken back')]).toMatchObject([0, { seen: 0 }]);
  });

  test('kind that the server does not serve, of a group that it serves -> nothing of ours is there', async () => {
    await serve('crates', 'Crate');
    const run = await uninstall({ steps: [{ ...step, resource: boxes }] });
    expect([run.code, run.said('Taken back')]).toMatchObject([0, { seen: 0 }]);
  });

  test('kind that is served, behind a proxy that answers 404 by a page at first -> its objects are found', async () => {
    await serve('boxes', 'Box');
    const metadata = { name: 'box', annotations: { [mark]: 'yes' } };
    await admin.create(boxes, 'shop', { metadata });
    const inner = await clientAs();
    let lists = 0;
    const client: ConnectedClient = {
      ...inner,
      listPages: (resource, options) => {
        if (resource.plural === 'boxes' && lists++ === 0) {
          throw new ApiError('GET /boxes', 404, { message: '404 page not found' });
        }
        return inner.listPages(resource, options);
      },
    };
    const run = await uninstall({ client, steps: [{ ...step, resource: boxes }] });
    expect([run.code, run.said('Taken back')]).toMatchObject([0, { takenBack: 1, refused: 0 }]);
    expect(run.said('List failed, will be tried again')).toBeDefined();
  });

  test('someone puts it back again and again -> given up', async () => {
    await createMaps(2);
    const clock = createFakeClock();
    const isClean = runStep(
      { ...step, takeBack: () => [{ op: 'add', path: '/data', value: { time: String(performance.now()) } }] },
      {
        client: admin,
        namespaces: [],
        concurrency: 2,
        dryRun: false,
        clock,
        logger: pino({ level: 'silent' }),
        signal: new AbortController().signal,
      },
      { seen: 0, takenBack: 0, outdated: 0, refused: 0 },
    );
    const ends: boolean[] = [];
    void isClean.then((end) => ends.push(end));
    while (ends.length === 0) {
      await clock.advance(60_000);
    }
    expect(await isClean).toBe(false);
  });

  test('SIGTERM half way -> stops, says so, the lease is free, exit 1', async () => {
    await createMaps(1);
    const again: UninstallStep<ConfigMap> = {
      ...step,
      takeBack: () => {
        process.emit('SIGTERM', 'SIGTERM');
        return [{ op: 'remove', path: '/metadata/annotations' }];
      },
    };
    const run = await uninstall({ steps: [again] });
    expect(run.code).toBe(1);
    expect(run.said('Stopped half way: run this again')).toBeDefined();
    expect(run.said('Released the lease')).toBeDefined();
  });

  test('app without anything on objects -> exit 0', async () => {
    const run = await uninstall({ steps: [] });
    expect([run.code, run.said('Uninstalled')]).toMatchObject([0, { steps: [] }]);
  });

  test('app that does not know the flag -> refused', async () => {
    const command = { name: 'app', version: '1', description: 'An app.', flags: runtimeFlags('app', {}) };
    const line = parseCommandLine(command, ['--uninstall'], {});
    const config = line.kind === 'run' ? line.values : undefined;
    expect(config?.uninstall).toBe(true);
    const tenure = createTenure(systemClock);
    const parts = { version: '1', registry: new Registry(), informers: [], controllers: [], tenure, program };
    const client = await clientAs();
    await expect(
      runManager({ ...parts, config: config as never, client, logger: pino({ level: 'silent' }) }),
    ).rejects.toThrow(
      new UsageError(
        "--uninstall: this program does not say what it puts on objects, so it can't remove it; see its documentation, or run it without the flag",
      ),
    );
  });
});

describe('A1: --uninstall as a process', () => {
  beforeEach(() => open(true));

  test('killed half way -> the next run waits for the lease and takes back the rest', async () => {
    // At this rate they take four seconds: a busy machine has time to kill the process before they are done.
    const total = 80;
    await createMaps(total);
    const program = fileURLToPath(new URL('../fixtures/uninstalled-app.ts', import.meta.url));
    const election = [
      '--leader-elect-lease-duration=3s',
      '--leader-elect-renew-deadline=2500ms',
      '--leader-elect-retry-period=200ms',
    ];
    const killed = spawn(
      process.execPath,
      [
        '--conditions=@holdfast/source',
        '--no-warnings',
        program,
        '--uninstall',
        `--kubeconfig=${kubeconfig}`,
        '--kube-api-qps=20',
        '--kube-api-burst=1',
        ...election,
      ],
      { stdio: ['ignore', 'ignore', 'ignore'] },
    );
    const ended = once(killed, 'exit');
    const { requests } = plane.apiServer;
    const takenBack = (): number => requests.count({ verb: 'patch', resource: 'configmaps', code: 200 });
    while (killed.exitCode === null && takenBack() < 5) {
      await pass(20);
    }
    killed.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    const lease = await admin.get(leases, { namespace: 'kube-system', name: 'uninstalled' });
    expect(lease.spec?.holderIdentity).toBeTruthy();
    const left = await marked();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(total);
    const { code } = await uninstall({ argv: [...election, '--leader-elect-resource-name=uninstalled'] });
    expect([code, await marked()]).toEqual([0, 0]);
  });
});
