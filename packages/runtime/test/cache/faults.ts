import { describe, expect, test } from '@jest/globals';
import {
  collectionPath,
  isOlderVersion,
  namespaces,
  objectKey,
  persistentVolumeClaims,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type Fault,
  type FaultMatch,
  type FaultPlan,
  type FaultSchedule,
} from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createInformerMetrics } from '../../src/cache/informer-metrics.ts';
import { createInformer, type Informer } from '../../src/cache/informer.ts';
import type { ApiClient, List } from '../../src/client/api-client.ts';
import { ApiError, isGone } from '../../src/client/api-error.ts';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { createCredentialSource } from '../../src/client/credentials.ts';
import { createApiClient } from '../../src/client/http-api-client.ts';
import { createTransport } from '../../src/client/transport.ts';
import { systemClock, type Clock } from '../../src/time/clock.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { createProjection } from '../../src/wire/projection.ts';
import { until } from '../until.ts';
import { startProtobufFront } from './protobuf-front.ts';

const namespace = 'shop';
const limit = 25_000;
const projection = createProjection(persistentVolumeClaims, {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { storageClassName: true },
});

/** Back-off and Retry-After are measured elsewhere; here they would only take time. */
const hurried: Clock = {
  now: systemClock.now,
  after: (delay, callback) => systemClock.after(delay / 100, callback),
};

/** Longer than the informer lets a watch, or a list, be silent. */
const longSilence = 60_000;

/** How the informer under test gets what it sees. */
export interface Form {
  readonly protobuf: boolean;
  readonly streamed: boolean;
}

const nameOf = ({ protobuf, streamed }: Form): string =>
  `${protobuf ? 'protobuf' : 'JSON'}, ${streamed ? 'streamed' : 'paged'} lists`;

/**
 * What a test has opened, to be closed at its end. Each test has its own, since several run at a time: most of what
 * they do is to wait.
 */
interface Endings extends AsyncDisposable {
  /** What is added last is ended first. */
  add(end: () => Promise<unknown>): void;
}

function createEndings(): Endings {
  const endings: (() => Promise<unknown>)[] = [];
  return {
    add: (end) => void endings.push(end),
    [Symbol.asyncDispose]: async () => {
      for (const end of endings.splice(0).reverse()) {
        await end();
      }
    },
  };
}

/** @param silence measures the server's silence. */
function clientOf(kubeconfig: string, origin: string, silence: Clock, endings: Endings): ApiClient {
  const load = (): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    return config;
  };
  const client = createApiClient({
    transport: createTransport({ origin, clock: silence }),
    credentials: createCredentialSource(load, systemClock),
    rateLimit: createTokenBucket({ qps: 0, burst: 1, clock: systemClock }),
    metrics: createClientMetrics(new Registry(), 'cluster'),
    clock: hurried,
    userAgent: 'informer/1',
  });
  endings.add(() => client.close());
  return client;
}

interface Change {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: PersistentVolumeClaim;
}

interface Stage {
  readonly endings: Endings;
  readonly plane: EmbeddedControlPlane;
  readonly informer: Informer<PersistentVolumeClaim>;
  readonly changes: readonly Change[];
  create(name: string): Promise<void>;
  label(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Until the store holds what the server does. */
  caughtUp(): Promise<void>;
  /** Until the server serves the watch that follows a list. */
  following(): Promise<void>;
  /** No watch that follows a list is begun until the function that is returned is called. */
  holdWatches(): () => void;
  /** How often a watch was refused since its version was gone. */
  readonly gone: number;
}

/** @param silentAfter after this many events a watch that a fault hits is silent, and a long time passes. */
async function open(
  endings: Endings,
  plan: FaultPlan,
  { protobuf, streamed }: Form,
  silentAfter: number | undefined,
): Promise<Stage> {
  const plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  endings.add(() => plane.stop());
  let origin = plane.url;
  if (protobuf) {
    const front = await startProtobufFront(plane.url);
    endings.add(() => front.close());
    origin = front.origin;
  }
  const silence = createFakeClock();
  const behind = clientOf(plane.kubeconfig, origin, silence, endings);
  /** Past the network and its faults. */
  const byHand = async (method: string, path: string, body?: object, type?: string): Promise<unknown> => {
    const answer = await plane.apiServer.handle(method, path, body && JSON.stringify(body), type);
    expect([method, path, answer.code]).toEqual([method, path, method === 'POST' ? 201 : 200]);
    return JSON.parse(answer.body);
  };

  const watchesServed = (): number => plane.apiServer.requests.count({ verb: 'watch', code: 200 });
  let isFollowing = (): boolean => false;
  let held: Promise<void> | undefined;
  let gone = 0;
  const client: ApiClient = {
    ...behind,
    watch: async (resource, options, onEvent) => {
      const isList = options.sendInitialEvents === true;
      if (isList && !streamed) {
        throw new ApiError('GET', 422, { reason: 'Invalid' });
      }
      if (!isList) {
        await held;
        const before = watchesServed();
        isFollowing = () => watchesServed() > before;
      }
      const hits = plan.injected.length;
      let events = 0;
      try {
        await behind.watch(resource, options, (event, end) => {
          onEvent(event, end);
          events += 1;
          if (events === silentAfter && plan.injected.length > hits) {
            void silence.advance(longSilence);
          }
        });
      } catch (error) {
        gone += isGone(error) ? 1 : 0;
        throw error;
      } finally {
        isFollowing = () => false;
      }
    },
  };
  const informer = createInformer({
    client,
    resource: persistentVolumeClaims,
    projection,
    logger: pino({ level: 'silent' }),
    metrics: createInformerMetrics(new Registry()),
    clock: hurried,
  });
  const changes: Change[] = [];
  let onChange = (): void => undefined;
  const report = (change: Change): void => {
    changes.push(change);
    onChange();
  };
  informer.addHandler({
    added: (object) => report({ type: 'added', object }),
    updated: (_before, object) => report({ type: 'updated', object }),
    deleted: (object) => report({ type: 'deleted', object }),
  });
  const claims = collectionPath(persistentVolumeClaims, namespace);
  await byHand('POST', collectionPath(namespaces), { metadata: { name: namespace } });
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
  };
  return {
    endings,
    plane,
    informer,
    changes,
    create: async (name) => {
      await byHand('POST', claims, { metadata: { name }, spec });
    },
    label: async (name, value) => {
      const patch = [{ op: 'add', path: '/metadata/labels', value: { value } }];
      await byHand('PATCH', `${claims}/${name}`, patch, 'application/json-patch+json');
    },
    remove: async (name) => {
      await byHand('DELETE', `${claims}/${name}`);
    },
    caughtUp: async () => {
      const { items } = (await byHand('GET', claims)) as List<PersistentVolumeClaim>;
      const expected = new Map(items.map((item) => [objectKey(item), projection.fromJson(item)]));
      const actual = (): ReadonlyMap<string, PersistentVolumeClaim> =>
        new Map([...informer.store.values()].map((object) => [objectKey(object), object]));
      const patience = AbortSignal.timeout(limit);
      while (!patience.aborted && !isDeepStrictEqual(actual(), expected)) {
        await new Promise<void>((resolve) => {
          onChange = resolve;
          patience.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      expect(actual()).toEqual(expected);
    },
    following: () => until('the server serves a watch', () => isFollowing()),
    holdWatches: () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      held = promise;
      return () => resolve(undefined);
    },
    get gone() {
      return gone;
    },
  };
}

function run({ endings, informer }: Stage): void {
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  endings.add(() => {
    stop.abort(new Error('test is over'));
    return running;
  });
}

/**
 * Each object is first added, then goes on in its versions, and is deleted once; one after the other under each name.
 */
function expectOrder(changes: readonly Change[]): void {
  const lives = new Map<string, string | undefined>();
  const versions = new Map<string, string>();
  for (const { type, object } of changes) {
    const { name, uid, resourceVersion } = object.metadata;
    expect([name, type, lives.get(name)]).toEqual([name, type, type === 'added' ? undefined : uid]);
    lives.set(name, type === 'deleted' ? undefined : uid);
    const before = versions.get(uid);
    expect(before !== undefined && isOlderVersion(resourceVersion, before)).toBe(false);
    versions.set(uid, resourceVersion);
  }
}

/** Changes of every kind, in rounds, after each of which the store is as the server. */
async function playStory(
  stage: Stage,
  round: (changes: () => Promise<void>) => Promise<void> = (changes) => changes(),
): Promise<void> {
  await stage.create('first');
  await stage.create('again');
  run(stage);
  await stage.caughtUp();
  for (const value of ['1', '2', '3']) {
    await round(async () => {
      await stage.label('first', value);
      await stage.create(`new-${value}`);
      await stage.remove('again');
      await stage.create('again');
    });
    await stage.caughtUp();
  }
  await stage.remove('first');
  await stage.caughtUp();
  expectOrder(stage.changes);
  const again = stage.changes.filter(({ object }) => object.metadata.name === 'again');
  expect(again.map(({ type }) => type)).toEqual([
    'added',
    'deleted',
    'added',
    'deleted',
    'added',
    'deleted',
    'added',
  ]);
}

const ours = { userAgent: /^informer\// };
const watches = { ...ours, verb: 'watch' } as const;
const lists = { ...ours, verb: ['list', 'watch'] } as const;

interface Case {
  readonly name: string;
  readonly match: FaultMatch;
  readonly fault: Fault;
  readonly schedule: FaultSchedule;
  /** Events after which nothing comes from what was hit, as long as it is waited for. */
  readonly silentAfter?: number;
}

const undisturbed: Case = {
  name: 'no fault',
  match: { ...ours, resource: 'none' },
  fault: { kind: 'withholdBookmarks' },
  schedule: {},
};

const cases: readonly Case[] = [
  {
    name: 'watches cut after an event',
    match: watches,
    fault: { kind: 'cutWatch', afterEvents: 1 },
    schedule: { times: 5 },
  },
  {
    name: 'watches cut before any event',
    match: watches,
    fault: { kind: 'cutWatch', afterEvents: 0 },
    schedule: { nth: [1, 2, 4] },
  },
  {
    name: 'watches stalled after an event',
    match: watches,
    fault: { kind: 'stallWatch', afterEvents: 1 },
    schedule: { times: 3 },
    silentAfter: 1,
  },
  {
    name: 'watches answered 410',
    match: watches,
    fault: { kind: 'status', code: 410, reason: 'Expired' },
    schedule: { nth: [1, 2, 4] },
  },
  {
    name: 'everything answered 429 with Retry-After',
    match: lists,
    fault: { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 },
    schedule: { times: 5 },
  },
  {
    name: 'everything answered 500',
    match: lists,
    fault: { kind: 'status', code: 500, reason: 'InternalError' },
    schedule: { nth: [1, 3] },
  },
  {
    name: 'connections reset',
    match: lists,
    fault: { kind: 'reset', when: 'before' },
    schedule: { nth: [1, 3] },
  },
  {
    name: 'events sent twice',
    match: watches,
    fault: { kind: 'duplicateEvents' },
    schedule: {},
  },
  {
    name: 'bookmarks withheld, even the one at the end of a streamed list',
    match: watches,
    fault: { kind: 'withholdBookmarks' },
    schedule: { times: 1 },
    // The claims that there are when the story begins.
    silentAfter: 2,
  },
];

function testCases(form: Form, played: readonly Case[]): void {
  test.concurrent.each(played)(
    '$name -> the store is as the server, every change reported in order',
    async ({ match, fault, schedule, silentAfter }) => {
      await using endings = createEndings();
      const plan = createFaultPlan(1).on(match, fault, schedule);
      await playStory(await open(endings, plan, form, silentAfter));
      expect(plan.injected.length > 0).toBe(match.resource !== 'none');
    },
    120_000,
  );
}

/** Declares the test of an informer that meets no fault. */
export function testUndisturbed(form: Form): void {
  describe(nameOf(form), () => testCases(form, [undisturbed]));
}

/** Declares the tests of an informer that meets faults. */
export function testFaults(form: Form): void {
  describe(nameOf(form), () => {
    testCases(form, [undisturbed, ...cases]);

    test.concurrent(
      'watch cut, its version compacted away, three times -> listed anew, gone and made again reported',
      async () => {
        await using endings = createEndings();
        const stage = await open(endings, createFaultPlan(1), form, undefined);
        await playStory(stage, async (changes) => {
          await stage.following();
          const letGo = stage.holdWatches();
          stage.plane.apiServer.cutWatches();
          await changes();
          stage.plane.apiServer.compact();
          letGo();
        });
        expect(stage.gone).toBe(3);
      },
      120_000,
    );

    test.concurrent(
      'API server ends without warning and comes again -> followed on',
      async () => {
        await using endings = createEndings();
        const stage = await open(endings, createFaultPlan(1), form, undefined);
        await stage.create('first');
        run(stage);
        await stage.caughtUp();
        await stage.plane.restartApiServer();
        await stage.create('second');
        await stage.remove('first');
        await stage.caughtUp();
        expectOrder(stage.changes);
      },
      120_000,
    );
  });
}
