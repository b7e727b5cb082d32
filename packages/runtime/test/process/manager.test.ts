import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import type { ConnectedClient } from '../../src/client/api-client.ts';
import { createControllerMetrics } from '../../src/controller/controller-metrics.ts';
import { createController, type Controller } from '../../src/controller/controller.ts';
import type { ReconcileResult } from '../../src/controller/reconcile-result.ts';
import { parseCommandLine, UsageError } from '../../src/flags/command-line.ts';
import { runtimeFlags, type RuntimeConfig } from '../../src/flags/runtime-flags.ts';
import type { Follower } from '../../src/process/follower.ts';
import { runManager, type ManagerOptions } from '../../src/process/manager.ts';
import type { Runnable } from '../../src/process/runnable.ts';
import { createWorkQueueMetrics } from '../../src/queue/work-queue-metrics.ts';
import { createTenure } from '../../src/client/tenure.ts';
import { systemClock } from '../../src/time/clock.ts';
import { createLeaseServer, type LeaseServer } from '../election/lease-server.ts';
import { until } from '../until.ts';
import { call } from '../webhook/call.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

function configOf(argv: readonly string[]): RuntimeConfig {
  const command = { name: 'app', version: '1', description: 'An app.', flags: runtimeFlags('app', {}) };
  const line = parseCommandLine(command, argv, {});
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  return line.values;
}

/** An informer that is full when the test says so. */
function follower(): Follower & { fill(): void; stopped(): boolean } {
  const full = Promise.withResolvers<undefined>();
  let isSynced = false;
  let stopped = false;
  const synced = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      void full.promise.then(resolve);
      if (signal.aborted) {
        reject(signal.reason as Error);
      }
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  return {
    name: 'persistentvolumeclaims',
    isOptional: false,
    scopes: [undefined],
    holdHandlers: () => undefined,
    listAgain: () => undefined,
    startHandlers: () => undefined,
    hasSynced: () => isSynced,
    isFollowing: () => isSynced,
    synced,
    answered: synced,
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          resolve();
        });
      }),
    fill: () => {
      isSynced = true;
      full.resolve(undefined);
    },
    stopped: () => stopped,
  };
}

interface App {
  readonly exit: Promise<number>;
  readonly informer: ReturnType<typeof follower>;
  readonly controller: Controller;
  readonly reconciled: readonly string[];
  readonly closed: () => boolean;
  /** Ends the reconcile that is under way. */
  readonly release: (result: ReconcileResult) => void;
  readonly abortedBy: () => unknown;
  readonly get: (
    purpose: 'metrics' | 'health-probe',
    path: string,
  ) => Promise<{ status: number; body: string }>;
  readonly served: (purpose: string) => string | undefined;
  readonly said: (message: string) => Readonly<Record<string, unknown>> | undefined;
}

const running: App[] = [];
afterEach(async () => {
  for (const app of running.splice(0)) {
    app.informer.fill();
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGTERM', 'SIGTERM');
    app.release({ kind: 'done' });
    await app.exit.catch(() => undefined);
  }
});

function start(
  argv: readonly string[] = ['--leader-elect=false'],
  leases: LeaseServer = createLeaseServer(),
  others: Partial<
    Pick<ManagerOptions, 'controllers' | 'runnables' | 'readyChecks' | 'liveChecks' | 'signal'>
  > = {},
): App {
  const logged: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const logger = pino({ level: 'info' }, stream);
  const registry = new Registry();
  new Counter({ name: 'apples_total', help: 'Apples.', registers: [registry] });
  const informer = follower();
  const reconciled: string[] = [];
  const ending = Promise.withResolvers<ReconcileResult>();
  let abortedBy: unknown;
  const controller = createController({
    name: 'test',
    logger,
    metrics: createControllerMetrics(registry, 'test'),
    queueMetrics: createWorkQueueMetrics(registry, 'test'),
    reconcile: (key, _batch, signal) => {
      reconciled.push(key);
      return new Promise((resolve, reject) => {
        void ending.promise.then(resolve);
        signal.addEventListener('abort', () => {
          abortedBy = signal.reason;
          reject(signal.reason as Error);
        });
      });
    },
  });
  let closed = false;
  const unasked = () => Promise.reject(new Error('not asked for'));
  const client: ConnectedClient = {
    ...leases.clientOf(systemClock),
    document: unasked,
    text: unasked,
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
  const exit = runManager({
    version: '1',
    config: configOf([
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...argv,
    ]),
    client,
    logger,
    registry,
    informers: [informer],
    tenure: createTenure(systemClock),
    program: { name: 'app', version: '1', flags: { 'leader-elect': 'false' } },
    ...others,
    controllers: [controller, ...(others.controllers ?? [])],
  });
  const served = (purpose: string): string | undefined => {
    const entry = logged.find((each) => each['msg'] === 'Serving' && each['purpose'] === purpose);
    return entry === undefined ? undefined : String(entry['address']);
  };
  const app: App = {
    exit,
    informer,
    controller,
    reconciled,
    closed: () => closed,
    release: ending.resolve,
    abortedBy: () => abortedBy,
    served,
    said: (message) => logged.find(({ msg }) => msg === message),
    get: async (purpose, path) => {
      await until(`${purpose} is served`, () => served(purpose) !== undefined);
      const response = await fetch(`http://${served(purpose) ?? ''}${path}`, {
        headers: { connection: 'close' },
      });
      return { status: response.status, body: await response.text() };
    },
  };
  running.push(app);
  return app;
}

describe('servers', () => {
  test('not synced yet -> alive but not ready; synced -> ready', async () => {
    const app = start();
    expect((await app.get('health-probe', '/livez')).status).toBe(200);
    expect((await app.get('health-probe', '/healthz')).status).toBe(200);
    const before = await app.get('health-probe', '/readyz');
    expect(before.status).toBe(500);
    expect(before.body).toContain('[-]informer-sync-persistentvolumeclaims');
    app.informer.fill();
    expect(await app.get('health-probe', '/readyz')).toEqual({ status: 200, body: 'ok' });
  });

  test('metrics -> those of the registry', async () => {
    const app = start();
    const { status, body } = await app.get('metrics', '/metrics');
    expect(status).toBe(200);
    expect(body).toContain('apples_total 0');
  });

  test('z-pages -> beside the metrics, and the status names all paths', async () => {
    const app = start();
    expect((await app.get('metrics', '/flagz')).body).toContain('\nleader-elect=false\n');
    expect((await app.get('metrics', '/statusz')).body).toContain(
      'Paths= /flagz /healthz /livez /metrics /readyz /statusz\n',
    );
    expect((await app.get('health-probe', '/flagz')).status).toBe(404);
  });

  test('metrics secure -> over TLS, 401 without a token; health stays open', async () => {
    const app = start(['--leader-elect=false', '--metrics-secure']);
    await until('metrics are served', () => app.served('metrics') !== undefined);
    for (const path of ['/metrics', '/flagz', '/statusz']) {
      expect((await call(app.served('metrics') ?? '', path, '', { method: 'GET' })).status).toBe(401);
    }
    expect((await app.get('health-probe', '/livez')).status).toBe(200);
  });

  test('turned off -> not served', async () => {
    const app = start(['--leader-elect=false', '--metrics-bind-address=0']);
    expect((await app.get('health-probe', '/livez')).status).toBe(200);
    expect(app.served('metrics')).toBeUndefined();
  });

  test('second address in use -> UsageError, and the first is let go', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      const app = start(['--leader-elect=false', `--metrics-bind-address=127.0.0.1:${String(port)}`]);
      await expect(app.exit).rejects.toThrow(UsageError);
      await expect(app.exit).rejects.toThrow(`127.0.0.1:${String(port)}: it is in use`);
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  });
});

describe('work and shutdown', () => {
  test('caches not full -> no work; full -> work', async () => {
    const app = start();
    app.controller.queue.add('a');
    await app.get('health-probe', '/livez');
    expect(app.reconciled).toStrictEqual([]);
    app.informer.fill();
    await until('the key is worked on', () => app.reconciled.length === 1);
  });

  test('SIGTERM -> what is under way ends, then everything is closed, exit code 0', async () => {
    const app = start();
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    app.controller.queue.add('b');
    expect(app.abortedBy()).toBeUndefined();
    expect(app.closed()).toBe(false);
    app.release({ kind: 'done' });
    expect(await app.exit).toBe(0);
    expect(app.reconciled).toEqual(['a']);
    expect([app.closed(), app.informer.stopped()]).toEqual([true, true]);
  });

  test('SIGINT before the caches are full -> exit code 0', async () => {
    const app = start();
    await app.get('health-probe', '/livez');
    process.emit('SIGINT', 'SIGINT');
    expect(await app.exit).toBe(0);
  });

  test('second signal -> what is under way is aborted, exit code 1', async () => {
    const app = start();
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGINT', 'SIGINT');
    expect(await app.exit).toBe(1);
    expect(String(app.abortedBy())).toMatch(/second signal, SIGINT/);
  });

  test('ended -> no signal handler stays', async () => {
    const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const app = start();
    await app.get('health-probe', '/livez');
    process.emit('SIGTERM', 'SIGTERM');
    await app.exit;
    expect(process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')).toBe(before);
  });
});

describe('leader election', () => {
  test('lease is free -> works as the leader; SIGTERM -> the lease is released', async () => {
    const leases = createLeaseServer();
    const app = start([], leases);
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    expect(leases.lease?.spec?.holderIdentity).not.toBe('');
    app.release({ kind: 'done' });
    process.emit('SIGTERM', 'SIGTERM');
    expect(await app.exit).toBe(0);
    expect(leases.lease?.spec?.holderIdentity).toBe('');
  });

  test('another holds it -> caches are warm and ready, no work; SIGTERM -> exit code 0', async () => {
    const leases = createLeaseServer();
    leases.write({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const app = start([], leases);
    app.informer.fill();
    app.controller.queue.add('a');
    expect((await app.get('health-probe', '/readyz')).status).toBe(200);
    expect(app.reconciled).toStrictEqual([]);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await app.exit).toBe(0);
    expect(leases.lease?.spec?.holderIdentity).toBe('other');
  });

  test('lease is lost -> what is under way is aborted, exit code 1', async () => {
    const leases = createLeaseServer();
    const app = start(['--leader-elect-retry-period=20ms'], leases);
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    leases.write({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    expect(await app.exit).toBe(1);
    expect(String(app.abortedBy())).toMatch(/lease .* was lost/);
    expect(leases.lease?.spec?.holderIdentity).toBe('other');
  });
});

describe('signal of the caller', () => {
  test('aborted -> what is under way ends, exit code 0', async () => {
    const end = new AbortController();
    const app = start(undefined, undefined, { signal: end.signal });
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    end.abort();
    expect(app.abortedBy()).toBeUndefined();
    app.release({ kind: 'done' });
    expect(await app.exit).toBe(0);
    expect([app.closed(), app.informer.stopped()]).toEqual([true, true]);
  });

  test('aborted before the start -> no work, exit code 0', async () => {
    const app = start(undefined, undefined, { signal: AbortSignal.abort() });
    app.controller.queue.add('a');
    expect(await app.exit).toBe(0);
    expect(app.reconciled.length).toBe(0);
  });

  test('aborted, then a signal of the process -> what is under way is aborted, exit code 1', async () => {
    const end = new AbortController();
    const app = start(undefined, undefined, { signal: end.signal });
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    end.abort();
    process.emit('SIGTERM', 'SIGTERM');
    expect(await app.exit).toBe(1);
    expect(String(app.abortedBy())).toMatch(/second signal, SIGTERM/);
  });
});

describe('runnables', () => {
  /** Runs until it is stopped, and a while longer where the test says so. */
  function runnable(on?: 'leader' | 'everyReplica', last: Promise<unknown> = Promise.resolve()) {
    const seen: string[] = [];
    const made: Runnable = {
      name: 'report',
      ...(on === undefined ? {} : { on }),
      run: async (stop, abandon) => {
        seen.push('began');
        const ends = Promise.withResolvers<undefined>();
        stop.addEventListener('abort', () => ends.resolve(undefined));
        await ends.promise;
        seen.push('was stopped');
        const abandoned = Promise.withResolvers<undefined>();
        abandon.addEventListener('abort', () => abandoned.resolve(undefined));
        await Promise.race([last, abandoned.promise]);
        seen.push(abandon.aborted ? 'was abandoned' : 'ended');
      },
    };
    return { made, seen };
  }

  test('no choice of replica -> begins when the caches are full, and is waited for', async () => {
    const last = Promise.withResolvers<undefined>();
    const { made, seen } = runnable(undefined, last.promise);
    const app = start(undefined, undefined, { runnables: [made] });
    await app.get('health-probe', '/livez');
    expect(seen.length).toBe(0);
    app.informer.fill();
    await until('it has begun', () => seen.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    await until('it is stopped', () => seen.length === 2);
    expect(app.closed()).toBe(false);
    last.resolve(undefined);
    expect(await app.exit).toBe(0);
    expect(seen).toEqual(['began', 'was stopped', 'ended']);
  });

  test('standby -> that of every replica runs until the end, that of the leader never', async () => {
    const leases = createLeaseServer();
    leases.write({ holderIdentity: 'other', leaseDurationSeconds: 3_600 });
    const everywhere = runnable('everyReplica');
    const leading = runnable('leader');
    const app = start([], leases, { runnables: [everywhere.made, leading.made] });
    app.informer.fill();
    await until('it has begun', () => everywhere.seen.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await app.exit).toBe(0);
    expect(everywhere.seen).toEqual(['began', 'was stopped', 'ended']);
    expect(leading.seen.length).toBe(0);
  });

  test('that of every replica, while a reconcile ends -> stopped after it', async () => {
    const { made, seen } = runnable('everyReplica');
    const app = start(undefined, undefined, { runnables: [made] });
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    expect(seen).toEqual(['began']);
    app.release({ kind: 'done' });
    expect(await app.exit).toBe(0);
    expect(seen).toEqual(['began', 'was stopped', 'ended']);
  });

  test('second signal -> abandoned, exit code 1', async () => {
    const { made, seen } = runnable('leader', new Promise(() => undefined));
    const app = start(undefined, undefined, { runnables: [made] });
    app.informer.fill();
    await until('it has begun', () => seen.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    await until('it is stopped', () => seen.length === 2);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await app.exit).toBe(1);
    expect(seen).toEqual(['began', 'was stopped', 'was abandoned']);
  });

  test('has nothing more to do -> the work goes on', async () => {
    const app = start(undefined, undefined, {
      runnables: [{ name: 'report', run: () => Promise.resolve() }],
    });
    app.informer.fill();
    app.controller.queue.add('a');
    await until('the key is worked on', () => app.reconciled.length === 1);
    process.emit('SIGTERM', 'SIGTERM');
    app.release({ kind: 'done' });
    expect(await app.exit).toBe(0);
  });

  test.each(['leader', 'everyReplica'] as const)(
    'that of %s fails -> logged, what is under way ends, the lease is released, exit code 1',
    async (on) => {
      const leases = createLeaseServer();
      const failing = Promise.withResolvers<undefined>();
      const app = start([], leases, { runnables: [{ name: 'report', on, run: () => failing.promise }] });
      app.informer.fill();
      app.controller.queue.add('a');
      await until('the key is worked on', () => app.reconciled.length === 1);
      failing.reject(new Error('no such report'));
      await until('it is logged', () => app.said('Runnable failed; stopping') !== undefined);
      expect(app.said('Runnable failed; stopping')).toMatchObject({ runnable: 'report' });
      expect(app.abortedBy()).toBeUndefined();
      app.release({ kind: 'done' });
      expect(await app.exit).toBe(1);
      expect(leases.lease?.spec?.holderIdentity).toBe('');
    },
  );
});

test('what is around a controller fails -> logged, what is under way ends, then the lease is released', async () => {
  const leases = createLeaseServer();
  const failing = Promise.withResolvers<undefined>();
  const beside = createController({
    name: 'beside',
    logger: pino({ level: 'silent' }),
    metrics: createControllerMetrics(new Registry(), 'beside'),
    queueMetrics: createWorkQueueMetrics(new Registry(), 'beside'),
    reconcile: () => Promise.resolve({ kind: 'done' }),
  });
  const app = start([], leases, { controllers: [{ ...beside, run: () => failing.promise }] });
  app.informer.fill();
  app.controller.queue.add('a');
  await until('the key is worked on', () => app.reconciled.length === 1);
  failing.reject(new Error('the driver is not there'));
  await until('it is logged', () => app.said('Controller failed; stopping') !== undefined);
  expect(app.closed()).toBe(false);
  expect(leases.lease?.spec?.holderIdentity).not.toBe('');
  app.release({ kind: 'done' });
  expect(await app.exit).toBe(1);
  expect(leases.lease?.spec?.holderIdentity).toBe('');
});

test.each(['tenure', 'program'] as const)(
  'plain JavaScript leaves out %s -> refused, naming it, before anything is served',
  async (left) => {
    const app = start([], createLeaseServer(), { [left]: undefined });
    await expect(app.exit).rejects.toThrow(new RegExp(`^give ${left}, as `));
    expect(app.said('Starting')).toBeUndefined();
  },
);

describe('checks of the app', () => {
  test('one for /readyz fails -> not ready, but alive', async () => {
    let isHealthy = false;
    const app = start(undefined, undefined, { readyChecks: [{ name: 'report', healthy: () => isHealthy }] });
    app.informer.fill();
    const before = await app.get('health-probe', '/readyz');
    expect(before.status).toBe(500);
    expect(before.body).toContain('[-]report failed');
    expect((await app.get('health-probe', '/livez')).status).toBe(200);
    isHealthy = true;
    expect((await app.get('health-probe', '/readyz')).status).toBe(200);
  });

  test('one for /livez fails -> neither alive nor ready', async () => {
    const app = start(undefined, undefined, { liveChecks: [{ name: 'report', healthy: () => false }] });
    app.informer.fill();
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, body } = await app.get('health-probe', path);
      expect([status, body]).toEqual([500, expect.stringContaining('[-]report failed')]);
    }
  });
});
