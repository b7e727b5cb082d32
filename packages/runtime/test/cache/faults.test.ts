import { afterEach, describe, expect, test } from '@jest/globals';
import {
  isOlderVersion,
  namespaces,
  objectKey,
  persistentVolumeClaims,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  ApiError,
  createApiClient,
  createInformer,
  createInformerMetrics,
  createProjection,
  systemClock,
  type ApiClient,
  type Clock,
  type Informer,
} from '@holdfast/runtime';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type Fault,
  type FaultMatch,
  type FaultPlan,
  type FaultSchedule,
} from '@holdfast/testing';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createClientMetrics } from '../../src/client/client-metrics.ts';
import { createCredentialSource } from '../../src/client/credentials.ts';
import { createTokenBucket } from '../../src/time/token-bucket.ts';
import { createTransport } from '../../src/client/transport.ts';
import { startProtobufFront } from './protobuf-front.ts';

const namespace = 'shop';
const limit = 25_000;
const projection = createProjection(persistentVolumeClaims, {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { storageClassName: true },
});

/** Back-off is counted elsewhere; here it would only take time. */
const hurried: Clock = {
  now: systemClock.now,
  after: (delay, callback) => systemClock.after(delay / 20, callback),
};

/** How the informer under test gets what it sees. */
interface Form {
  readonly protobuf: boolean;
  readonly streamed: boolean;
}

const forms: readonly Form[] = [
  { protobuf: false, streamed: false },
  { protobuf: false, streamed: true },
  { protobuf: true, streamed: false },
  { protobuf: true, streamed: true },
];
const nameOf = ({ protobuf, streamed }: Form): string =>
  `${protobuf ? 'protobuf' : 'JSON'}, ${streamed ? 'streamed' : 'paged'} lists`;

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) {
    await step();
  }
});

function clientOf(kubeconfig: string, origin: string, userAgent: string): ApiClient {
  const load = (): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    return config;
  };
  const client = createApiClient({
    transport: createTransport({ origin }),
    credentials: createCredentialSource(load, systemClock.now),
    rateLimit: createTokenBucket({ qps: 0, burst: 1, clock: systemClock }),
    metrics: createClientMetrics(new Registry(), 'cluster'),
    clock: systemClock,
    userAgent,
  });
  undo.push(() => client.close());
  return client;
}

interface Told {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: PersistentVolumeClaim;
}

interface Stage {
  readonly plane: EmbeddedControlPlane;
  readonly hand: ApiClient;
  readonly informer: Informer<PersistentVolumeClaim>;
  readonly told: readonly Told[];
  create(name: string): Promise<void>;
  label(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Until the store holds what the server does. */
  caughtUp(): Promise<void>;
}

async function open(plan: FaultPlan, { protobuf, streamed }: Form): Promise<Stage> {
  const plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults: plan,
  });
  undo.push(() => plane.stop());
  const front = await startProtobufFront(plane.url);
  undo.push(() => front.close());
  const hand = clientOf(plane.kubeconfig, plane.url, 'hand/1');
  const behind = clientOf(plane.kubeconfig, protobuf ? front.origin : plane.url, 'informer/1');
  const client: ApiClient = {
    ...behind,
    watch: (resource, options, onEvent) =>
      options.sendInitialEvents === true && !streamed
        ? Promise.reject(new ApiError('GET', 422, { reason: 'Invalid' }))
        : // A stalled watch is to be noticed within the patience of a test.
          behind.watch(resource, { ...options, silenceLimit: 1_500 }, onEvent),
  };
  const informer = createInformer({
    client,
    resource: persistentVolumeClaims,
    projection,
    logger: pino({ level: 'silent' }),
    metrics: createInformerMetrics(new Registry()),
    clock: hurried,
  });
  const told: Told[] = [];
  informer.addHandler({
    added: (object) => told.push({ type: 'added', object }),
    updated: (_before, object) => told.push({ type: 'updated', object }),
    deleted: (object) => told.push({ type: 'deleted', object }),
  });
  await hand.create(namespaces, undefined, { metadata: { name: namespace } });
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: '',
  };
  return {
    plane,
    hand,
    informer,
    told,
    create: async (name) => {
      await hand.create(persistentVolumeClaims, namespace, { metadata: { name }, spec });
    },
    label: async (name, value) => {
      await hand.patch(persistentVolumeClaims, { namespace, name }, [
        { op: 'add', path: '/metadata/labels', value: { value } },
      ]);
    },
    remove: (name) => hand.delete(persistentVolumeClaims, { namespace, name }),
    caughtUp: async () => {
      const { items } = await hand.list(persistentVolumeClaims, {});
      const expected = new Map(items.map((item) => [objectKey(item), projection.fromJson(item)]));
      const deadline = performance.now() + limit;
      for (;;) {
        const actual = new Map([...informer.store.values()].map((object) => [objectKey(object), object]));
        try {
          expect(actual).toEqual(expected);
          return;
        } catch (error) {
          if (performance.now() > deadline) {
            throw error;
          }
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

function run({ informer }: Stage): void {
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  undo.push(() => {
    stop.abort(new Error('test is over'));
    return running;
  });
}

/** Each object is first added, then goes on in its versions, and is deleted once; one after the other under each name. */
function expectOrder(told: readonly Told[]): void {
  const lives = new Map<string, string | undefined>();
  const versions = new Map<string, string>();
  for (const { type, object } of told) {
    const { name, uid, resourceVersion } = object.metadata;
    expect([name, type, lives.get(name)]).toEqual([name, type, type === 'added' ? undefined : uid]);
    lives.set(name, type === 'deleted' ? undefined : uid);
    const before = versions.get(uid);
    expect(before !== undefined && isOlderVersion(resourceVersion, before)).toBe(false);
    versions.set(uid, resourceVersion);
  }
}

/** Changes of every kind, with pauses in which what breaks may be noticed. */
async function playStory(stage: Stage, between: () => void = () => undefined): Promise<void> {
  await stage.create('first');
  await stage.create('again');
  run(stage);
  await stage.caughtUp();
  for (const round of ['1', '2', '3']) {
    between();
    await stage.label('first', round);
    await stage.create(`new-${round}`);
    await stage.remove('again');
    await stage.create('again');
    await stage.caughtUp();
  }
  await stage.remove('first');
  await stage.caughtUp();
  expectOrder(stage.told);
  const again = stage.told.filter(({ object }) => object.metadata.name === 'again');
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
}

const cases: readonly Case[] = [
  {
    name: 'no fault',
    match: { ...ours, resource: 'none' },
    fault: { kind: 'withholdBookmarks' },
    schedule: {},
  },
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
  },
  {
    name: 'watches answered 410',
    match: watches,
    fault: { kind: 'status', code: 410, reason: 'Expired' },
    schedule: { nth: [2, 3, 5] },
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
  },
];

describe.each(forms.map((form) => ({ form, what: nameOf(form) })))('$what', ({ form }) => {
  test.each(cases)(
    '$name -> the store is as the server, every change told in order',
    async ({ match, fault, schedule }) => {
      const plan = createFaultPlan(1).on(match, fault, schedule);
      await playStory(await open(plan, form));
    },
    60_000,
  );

  test('all watches cut and history compacted again and again -> listed anew, gone and made again told', async () => {
    const stage = await open(createFaultPlan(1), form);
    await playStory(stage, () => {
      stage.plane.apiServer.cutWatches();
      stage.plane.apiServer.compact();
    });
    const failed = stage.plane.apiServer.requests.count({ verb: 'watch' });
    expect(failed).toBeGreaterThan(3);
  }, 60_000);

  test('API server ends without warning and comes again -> followed on', async () => {
    const stage = await open(createFaultPlan(1), form);
    await stage.create('first');
    run(stage);
    await stage.caughtUp();
    await stage.plane.restartApiServer();
    await stage.create('second');
    await stage.remove('first');
    await stage.caughtUp();
    expectOrder(stage.told);
  }, 60_000);
});
