import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  controllerOf,
  findCondition,
  ownerReference,
  parseFeatureGates,
  type ApiResource,
  type ConfigMap,
  type KubernetesObject,
  type ObjectOf,
} from '@holdfast/core';
import { defineResource } from '@holdfast/core/custom-resource';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { connect } from '../../src/client/connect.ts';
import { find } from '../../src/client/find.ts';
import type { WritingClient } from '../../src/client/verbs.ts';
import { composeApp } from '../../src/process/app.ts';
import { EarlyEnd } from '../../src/process/early-end.ts';
import type { ObjectContext } from '../../src/process/object-context.ts';
import { objectController, type ObjectControllerOptions } from '../../src/process/object-controller.ts';
import { runControllers } from '../../src/process/run-controllers.ts';
import type { Watched } from '../../src/process/watched.ts';
import { createProjection, type Projection } from '../../src/wire/projection.ts';
import { until } from '../until.ts';

const pages = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Page',
  spec: z.object({ text: z.string() }),
  status: z.object({
    length: z.int().optional(),
    conditions: z
      .array(
        z.object({
          type: z.string(),
          status: z.enum(['True', 'False', 'Unknown']),
          observedGeneration: z.int().optional(),
          lastTransitionTime: z.string(),
          reason: z.string(),
          message: z.string(),
        }),
      )
      .optional(),
  }),
});
type Page = ObjectOf<typeof pages>;

const definitions: ApiResource<KubernetesObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const ref = { namespace: 'default', name: 'home' };
const now = new Date('2030-01-01T00:00:00Z');

let plane: EmbeddedControlPlane;
let admin: WritingClient;
let clock: FakeClock;
const stops: (() => Promise<unknown>)[] = [];

function connectAs(program: string): WritingClient {
  const client = connect({
    kubeConfig: () => {
      const config = new KubeConfig();
      config.loadFromString(plane.kubeconfig);
      // client-node refuses plain http unless TLS checks are off. There is no TLS here to check.
      config.clusters = config.clusters.map((each) => ({ ...each, skipTLSVerify: true }));
      return config;
    },
    registry: new Registry(),
    program,
    version: '1',
  });
  stops.unshift(() => client.close());
  return client;
}

beforeEach(async () => {
  plane = await startEmbeddedControlPlane({ tls: false });
  admin = connectAs('test');
  clock = createFakeClock();
  await admin.create(definitions, undefined, pages.definition);
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) {
    await stop();
  }
  await plane.stop();
});

interface Line {
  readonly msg: string;
  readonly key?: string;
  readonly reconcileID?: string;
}

type Kinds = Pick<ObjectControllerOptions<Page>, 'finalizer' | 'concerns' | 'timeout'> & {
  readonly projection?: Projection<Page>;
  readonly reconcile: (
    context: ObjectContext<Page>,
    maps: Watched<ConfigMap>,
  ) => ReturnType<ObjectControllerOptions<Page>['reconcile']>;
};

/** Runs an app of one controller, and answers what it has done. */
function run({ reconcile, projection, ...options }: Kinds) {
  const client = connectAs('operator');
  const lines: Line[] = [];
  const events: string[] = [];
  let reconciled = 0;
  const composition = composeApp(
    {
      name: 'operator',
      client,
      clock,
      now: () => now,
      logger: pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line) as Line) }),
      registry: new Registry(),
      events: {
        record: (_resource, object, { reason }) => void events.push(`${object.metadata.name} ${reason}`),
        run: () => Promise.resolve(),
      },
      gates: parseFeatureGates({}, ''),
      namespaces: [],
      concurrentSyncs: 2,
    },
    (app) => {
      const watched = projection === undefined ? app.watch(pages) : app.watch(pages, projection);
      const maps = app.watch(configMaps);
      objectController(
        { ...app, client },
        {
          ...options,
          for: watched,
          owns: [maps],
          reconcile: async (context) => {
            try {
              return await reconcile(context, maps);
            } finally {
              reconciled += 1;
            }
          },
        },
      );
    },
  );
  const stop = new AbortController();
  composition.informers.forEach((informer) => informer.holdHandlers());
  const following = composition.informers.map((informer) => informer.run(stop.signal));
  const working = runControllers(composition, stop.signal, new AbortController().signal);
  stops.push(() => {
    stop.abort(new Error('the test is over'));
    return Promise.all([...following, working]);
  });
  const sent = (): readonly string[] =>
    plane.apiServer.requests.all
      .filter(
        ({ userAgent, verb }) => userAgent.startsWith('operator/') && verb !== 'list' && verb !== 'watch',
      )
      .map(
        ({ verb, resource, subresource, code }) =>
          `${[verb, resource, subresource].filter(Boolean).join(' ')} ${code}`,
      );
  return {
    lines,
    events,
    sent,
    reconciled: () => reconciled,
  };
}

const createPage = (text = 'Hello'): Promise<Page> =>
  admin.create(pages, ref.namespace, { metadata: { name: ref.name }, spec: { text } });
const readPage = (): Promise<Page | undefined> => find(admin, pages, ref);
const readMap = (): Promise<ConfigMap | undefined> => find(admin, configMaps, ref);
const setText = (text: string): Promise<Page> =>
  admin.patch(pages, ref, [{ op: 'add', path: '/spec/text', value: text }]);

/** Has a policy take all finalizers out of what is written to a page. */
async function keepFinalizersOut(): Promise<{ remove(): Promise<void> }> {
  const metadata = { name: 'no-finalizers' };
  const kindOf = (kind: string): ApiResource<KubernetesObject> => ({
    ...definitions,
    group: 'admissionregistration.k8s.io',
    kind,
    plural: kind.replace(/y$/, 'ie').toLowerCase() + 's',
  });
  const policies = kindOf('MutatingAdmissionPolicy');
  const bindings = kindOf('MutatingAdmissionPolicyBinding');
  const rule = { apiGroups: [pages.group], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] };
  const expression = '[JSONPatch{op: "remove", path: "/metadata/finalizers"}]';
  await admin.create(policies, undefined, {
    metadata,
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: 'any', expression: 'has(object.metadata.finalizers)' }],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  });
  await admin.create(bindings, undefined, { metadata, spec: { policyName: metadata.name } });
  return { remove: () => admin.delete(bindings, metadata) };
}

/** Waits for what only the API server knows. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  let is = false;
  let asking: Promise<void> | undefined;
  await until(what, () => {
    if (!is) {
      asking ??= holds().then((answer) => {
        is = answer;
        asking = undefined;
      });
    }
    return is;
  });
}

const publish: Kinds['reconcile'] = async ({ object, apply }, maps) => {
  await apply(maps, { metadata: { name: object.metadata.name }, data: { text: object.spec.text } });
  return undefined;
};

describe('apply', () => {
  test('child is not there -> made in the namespace of its owner, which is its controller', async () => {
    run({ reconcile: publish });
    const page = await createPage();
    await eventually('it is made', async () => (await readMap()) !== undefined);
    const map = await readMap();
    expect(map?.data).toEqual({ text: 'Hello' });
    expect(controllerOf(map ?? page)).toEqual(
      ownerReference(pages, page, { metadata: ref }, { controller: true }),
    );
    expect(map?.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['operator', 'Apply'],
    ]);
  });

  test('child is as it was applied -> nothing is sent, however often it is asked for', async () => {
    const operator = run({ reconcile: publish });
    await createPage();
    // The page wakes it, and then the map: seen in the cache, that is applied once more, unless the answer came after
    // the event.
    await until('it is made and confirmed', () => operator.reconciled() === 2);
    const before = operator.sent().length;
    for (const value of ['a', 'b', 'c']) {
      const reconciled = operator.reconciled();
      await admin.patch(pages, ref, [{ op: 'add', path: '/metadata/labels', value: { value } }]);
      await until('it is reconciled', () => operator.reconciled() > reconciled);
    }
    expect(operator.sent().slice(before)).toStrictEqual([]);
  });

  test('child is changed, deleted or let go by others -> as it was applied again', async () => {
    run({ reconcile: publish });
    await createPage();
    await eventually('it is made', async () => (await readMap())?.data?.['text'] === 'Hello');
    await admin.patch(configMaps, ref, [{ op: 'add', path: '/data/text', value: 'Bye' }]);
    await eventually('it is mended', async () => (await readMap())?.data?.['text'] === 'Hello');
    await admin.delete(configMaps, ref);
    await eventually('it is made anew', async () => (await readMap())?.data?.['text'] === 'Hello');
  });

  test('owner changes -> child gets the new fields and loses the old ones, those of others stay', async () => {
    run({
      reconcile: async ({ object: { metadata, spec }, apply }, maps) => {
        await apply(maps, { metadata: { name: metadata.name }, data: { [spec.text]: 'x' } });
        return undefined;
      },
    });
    await createPage('old');
    await eventually('it is made', async () => (await readMap())?.data?.['old'] === 'x');
    await admin.patch(configMaps, ref, [{ op: 'add', path: '/data/theirs', value: 'y' }]);
    await setText('new');
    await eventually('it is changed', async () => (await readMap())?.data?.['new'] === 'x');
    expect((await readMap())?.data).toEqual({ new: 'x', theirs: 'y' });
  });

  test('object of that name that is nobody’s -> left alone, and an error that says the way out', async () => {
    await admin.create(configMaps, ref.namespace, {
      metadata: { name: ref.name },
      data: { precious: 'yes' },
    });
    const operator = run({ reconcile: publish });
    await createPage();
    await until('it fails', () => operator.lines.some(({ msg }) => msg === 'Reconcile failed'));
    expect((await readMap())?.data).toEqual({ precious: 'yes' });
    expect(operator.lines.find(({ msg }) => msg === 'Reconcile failed')).toMatchObject({
      err: {
        message:
          'ConfigMap "default/home" is there already, and nobody is its controller: it would go with Page "default/home"; delete it, or choose another name',
      },
    });
    await admin.delete(configMaps, ref);
    await clock.advance(1_000_000);
    await eventually('it is made', async () => (await readMap())?.data?.['text'] === 'Hello');
  });

  test('child of a former owner of that name -> no error, and made when it is gone', async () => {
    const page = await createPage();
    const former = { ...page, metadata: { ...page.metadata, uid: 'former' } };
    const ownerReferences = [ownerReference(pages, former, { metadata: ref }, { controller: true })];
    await admin.create(configMaps, ref.namespace, {
      metadata: { name: ref.name, ownerReferences },
      data: { a: 'b' },
    });
    const operator = run({ reconcile: publish });
    await until('it was looked at', () => operator.lines.some(({ msg }) => msg === 'Look again'));
    await admin.delete(configMaps, ref);
    await eventually('it is made', async () => (await readMap())?.data?.['text'] === 'Hello');
    expect((await readMap())?.data).toEqual({ text: 'Hello' });
    expect(operator.lines.filter(({ msg }) => msg === 'Reconcile failed')).toStrictEqual([]);
  });

  test('delay that is no number -> fails, and is not looked at again at once for ever', async () => {
    const delay = Date.parse('no time');
    const operator = run({ reconcile: () => Promise.resolve({ kind: 'requeueAfter', delay }) });
    await createPage();
    await until('it fails', () => operator.lines.some(({ msg }) => msg === 'Reconcile failed'));
    expect(operator.lines.find(({ msg }) => msg === 'Reconcile failed')).toMatchObject({
      err: { message: 'the reconcile of "default/home" asks for a delay of NaN; give milliseconds' },
    });
  });

  test('namespace that the owner is not in -> refused', async () => {
    const operator = run({
      reconcile: async ({ apply }, maps) => {
        await apply(maps, { metadata: { name: 'a', namespace: 'kube-system' } });
        return undefined;
      },
    });
    await createPage();
    await until('it fails', () => operator.lines.some(({ msg }) => msg === 'Reconcile failed'));
    expect(operator.sent()).toStrictEqual([]);
  });
});

describe('status', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Published', message: '' } as const;
  const report: Kinds['reconcile'] = async ({ object, status }) => {
    await status({ length: object.spec.text.length }, [ready]);
    return undefined;
  };

  test('says something new -> written with the generation and the time; says the same -> nothing is sent', async () => {
    const operator = run({ reconcile: report });
    await createPage();
    await until('it is written, and seen', () => operator.reconciled() >= 2);
    expect((await readPage())?.status).toEqual({
      length: 5,
      conditions: [{ ...ready, observedGeneration: 1, lastTransitionTime: '2030-01-01T00:00:00Z' }],
    });
    expect(operator.sent()).toEqual(['patch pages status 200']);
    await setText('Good bye');
    await eventually('it follows', async () => (await readPage())?.status?.length === 8);
    expect(findCondition((await readPage())?.status?.conditions, 'Ready')?.observedGeneration).toBe(2);
  });

  test('specification changed since it was read -> not written, looked at again', async () => {
    const seen: string[] = [];
    const operator = run({
      reconcile: async ({ object, status }) => {
        if (seen.push(object.spec.text) === 1) {
          await setText('Newer');
        }
        await status({ length: object.spec.text === 'Newer' ? 100 : 1 });
        return undefined;
      },
    });
    await createPage();
    await eventually('it is written', async () => (await readPage())?.status?.length === 100);
    expect(operator.sent().filter((each) => each.endsWith('422'))).toHaveLength(1);
    expect(operator.lines.some(({ msg }) => msg === 'Reconcile failed')).toBe(false);
  });

  test('condition of somebody else -> stays', async () => {
    const theirs = { ...ready, type: 'Theirs', lastTransitionTime: '2029-01-01T00:00:00Z' };
    await createPage();
    await admin.patch(pages, ref, [{ op: 'add', path: '/status', value: { conditions: [theirs] } }], {
      subresource: 'status',
    });
    run({ reconcile: report });
    await eventually('it is written', async () => (await readPage())?.status?.length === 5);
    expect((await readPage())?.status?.conditions?.map(({ type }) => type)).toEqual(['Theirs', 'Ready']);
  });

  test('written twice in one reconcile -> the second rests on the first', async () => {
    const operator = run({
      reconcile: async ({ status }) => {
        await status({ length: 1 }, [{ ...ready, status: 'False' }]);
        await status({ length: 2 }, [ready]);
        return undefined;
      },
    });
    await createPage();
    await eventually('it is written', async () => (await readPage())?.status?.length === 2);
    expect(operator.sent().filter((each) => !each.endsWith('200'))).toStrictEqual([]);
  });

  test('the definition that is served has no status -> an error, and not taken for gone', async () => {
    const { definition } = pages;
    const versions = definition.spec.versions.map((version) => ({ ...version, subresources: {} }));
    await admin.mergePatch(definitions, definition.metadata, { spec: { versions } });
    const operator = run({ reconcile: report });
    await createPage();
    await until('it fails', () => operator.lines.some(({ msg }) => msg === 'Reconcile failed'));
    expect(operator.lines.find(({ msg }) => msg === 'Reconcile failed')).toMatchObject({
      err: {
        message:
          'Page "default/home" is there, and has no status at the API server: version v1 of pages.example.com does not serve it; apply the definition that has subresources.status',
      },
    });
  });

  test('kind without a status, field that it has not -> does not compile', () => {
    const write = async (page: ObjectContext<Page>, map: ObjectContext<ConfigMap>): Promise<void> => {
      // @ts-expect-error a length is a number
      await page.status({ length: 'long' });
      // @ts-expect-error conditions are the second argument
      await page.status({ conditions: [] });
      // @ts-expect-error there is none
      await map.status({});
    };
    expect(write.length).toBe(2);
  });
});

test.each([
  ['set', 1],
  ['removed', undefined],
])(
  'status of which the cache does not keep what is %s -> an error, and nothing is sent',
  async (_what, length) => {
    const metadata = { generation: true, finalizers: true, deletionTimestamp: true } as const;
    const operator = run({
      projection: createProjection<Page>(pages, { metadata, spec: { text: true } }),
      reconcile: ({ status }) => status({ length }).then(() => undefined),
    });
    await createPage();
    await until('the reconcile has failed', () =>
      operator.lines.some(({ msg }) => msg === 'Reconcile failed'),
    );
    expect(JSON.stringify(operator.lines)).toContain('does not keep status.length whole');
    expect(operator.sent()).toStrictEqual([]);
  },
);

describe('finalizer', () => {
  const name = 'example.com/page';

  test('new object -> reconciled when it has the finalizer, and not before', async () => {
    const seen: unknown[] = [];
    run({
      finalizer: { name, cleanup: () => Promise.resolve(true) },
      reconcile: ({ object }) => Promise.resolve(void seen.push(object.metadata.finalizers)),
    });
    await createPage();
    await until('it is reconciled', () => seen.length > 0);
    expect(seen).toEqual([[name]]);
  });

  test('a policy takes it out of the write -> an error, and tried again', async () => {
    const policy = await keepFinalizersOut();
    const operator = run({
      finalizer: { name, cleanup: () => Promise.resolve(true) },
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await until('the reconcile has failed', () =>
      operator.lines.some(({ msg }) => msg === 'Reconcile failed'),
    );
    await policy.remove();
    await until('it will be tried again', () => clock.pending > 0);
    await clock.advance(1_000_000);
    await until('it is reconciled', () => operator.reconciled() === 1);
    expect((await readPage())?.metadata.finalizers).toEqual([name]);
  });

  test('deleted -> cleaned up until that is seen to be done, then gone', async () => {
    let isClean = false;
    let cleanups = 0;
    const operator = run({
      finalizer: {
        name,
        cleanup: () => {
          cleanups += 1;
          return Promise.resolve(isClean);
        },
      },
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await until('it is reconciled', () => operator.reconciled() === 1);
    await admin.delete(pages, ref);
    await until('it is cleaned up', () => cleanups === 1);
    expect((await readPage())?.metadata.finalizers).toEqual([name]);
    await until('it will be looked at again', () => clock.pending > 0);
    isClean = true;
    await clock.advance(5_000);
    await eventually('it is gone', async () => (await readPage()) === undefined);
    expect([cleanups, operator.reconciled()]).toEqual([2, 1]);
  });

  test('what is cleaned up is gone already -> cleaned up on, and gone', async () => {
    const other = await admin.create(configMaps, ref.namespace, { metadata: { name: 'other' } });
    await admin.delete(configMaps, { ...ref, name: 'other' });
    const operator = run({
      finalizer: {
        name,
        cleanup: async ({ remove }) => {
          await remove({ resource: configMaps }, other);
          return true;
        },
      },
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await until('it is reconciled', () => operator.reconciled() === 1);
    await admin.delete(pages, ref);
    await eventually('it is gone', async () => (await readPage()) === undefined);
  });

  test('its cleanup does not say whether everything is gone -> an error that says so, and the object stays', async () => {
    const operator = run({
      finalizer: { name, cleanup: () => Promise.resolve(undefined as unknown as boolean) },
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await until('it is reconciled', () => operator.reconciled() === 1);
    await admin.delete(pages, ref);
    await until('the reconcile has failed', () =>
      operator.lines.some(({ msg }) => msg === 'Reconcile failed'),
    );
    expect(JSON.stringify(operator.lines)).toContain('give true once everything is gone');
    expect((await readPage())?.metadata.finalizers).toEqual([name]);
  });

  test('deleted, with the finalizers of others only -> neither reconciled nor cleaned up', async () => {
    let cleanups = 0;
    await admin.create(pages, ref.namespace, {
      metadata: { name: ref.name, finalizers: ['example.com/theirs'] },
      spec: { text: '' },
    });
    await admin.delete(pages, ref);
    const operator = run({
      finalizer: { name, cleanup: () => Promise.resolve((cleanups += 1) > 0) },
      reconcile: () => Promise.resolve(undefined),
    });
    await admin.create(pages, ref.namespace, { metadata: { name: 'other' }, spec: { text: '' } });
    await until('another one is reconciled', () => operator.reconciled() === 1);
    expect([cleanups, operator.sent()]).toEqual([0, ['patch pages 200']]);
  });

  test('controller is no longer for the object -> cleaned up until all is gone, without finalizer, not reconciled', async () => {
    let isClean = false;
    let cleanups = 0;
    const operator = run({
      concerns: ({ spec }) => spec.text !== 'none',
      finalizer: { name, cleanup: () => Promise.resolve(((cleanups += 1), isClean)) },
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await until('it is reconciled', () => operator.reconciled() === 1);
    await setText('none');
    await until('it is cleaned up', () => cleanups > 0);
    expect((await readPage())?.metadata.finalizers).toEqual([name]);
    await until('it will be looked at again', () => clock.pending > 0);
    isClean = true;
    await clock.advance(5_000);
    await eventually('it is let go', async () => (await readPage())?.metadata.finalizers === undefined);
    expect(operator.reconciled()).toBe(1);
    await setText('again');
    await until('it is reconciled', () => operator.reconciled() === 2);
    expect((await readPage())?.metadata.finalizers).toEqual([name]);
  });

  test.each([
    { what: 'with a finalizer', finalizer: { name, cleanup: () => Promise.resolve(true) } },
    { what: 'without a finalizer', finalizer: undefined },
  ])('controller is not for the object, $what -> nothing is written', async ({ finalizer }) => {
    const operator = run({
      concerns: ({ metadata }) => metadata.name !== ref.name,
      ...(finalizer === undefined ? {} : { finalizer }),
      reconcile: () => Promise.resolve(undefined),
    });
    await createPage();
    await admin.create(pages, ref.namespace, { metadata: { name: 'other' }, spec: { text: '' } });
    await until('another one is reconciled', () => operator.reconciled() === 1);
    expect(operator.sent()).toEqual(finalizer === undefined ? [] : ['patch pages 200']);
  });

  test('no finalizer, object is terminating -> not reconciled', async () => {
    await admin.create(pages, ref.namespace, {
      metadata: { name: ref.name, finalizers: ['example.com/theirs'] },
      spec: { text: '' },
    });
    await admin.delete(pages, ref);
    const seen: string[] = [];
    run({ reconcile: ({ key }) => Promise.resolve(void seen.push(key)) });
    await admin.create(pages, ref.namespace, { metadata: { name: 'other' }, spec: { text: '' } });
    await until('another one is reconciled', () => seen.length > 0);
    expect(seen).toEqual(['default/other']);
  });
});

describe('context', () => {
  test('live -> the object as it is now; undefined when it is gone, or another of its name', async () => {
    const texts: (string | undefined)[] = [];
    run({
      reconcile: async ({ live }) => {
        if (texts.length > 0) {
          return undefined;
        }
        await setText('Newer');
        texts.push((await live())?.spec.text);
        await admin.delete(pages, ref);
        texts.push((await live())?.spec.text);
        await createPage('Another');
        texts.push((await live())?.spec.text);
        return undefined;
      },
    });
    await createPage();
    await until('it was asked', () => texts.length === 3);
    expect(texts).toEqual(['Newer', undefined, undefined]);
  });

  test('patch and remove -> of the very object that was read', async () => {
    let done = false;
    const operator = run({
      reconcile: async ({ object, patch, remove }) => {
        const after = await patch([{ op: 'add', path: '/spec/text', value: 'patched' }]);
        await remove({ resource: pages }, object).catch((error: unknown) => {
          expect(error).toBeInstanceOf(EarlyEnd);
        });
        await remove({ resource: pages }, after);
        done = true;
        return undefined;
      },
    });
    await createPage();
    await until('it is removed', () => done);
    expect(await readPage()).toBeUndefined();
    expect(operator.sent()).toEqual(['patch pages 200', 'delete pages 409', 'delete pages 200']);
  });

  test('object is gone by the time of the write -> done, and no error', async () => {
    let ended: unknown;
    const operator = run({
      reconcile: async ({ patch }) => {
        await admin.delete(pages, ref);
        await patch([{ op: 'add', path: '/spec/text', value: 'late' }]).catch((error: unknown) => {
          ended = error;
          throw error;
        });
        return undefined;
      },
    });
    await createPage();
    await until('it ended', () => ended !== undefined);
    expect((ended as EarlyEnd).result).toEqual({ kind: 'done' });
    expect(operator.lines.some(({ msg }) => msg === 'Reconcile failed')).toBe(false);
  });

  test('event -> about the object', async () => {
    const operator = run({
      reconcile: ({ event }) => {
        event({ type: 'Normal', reason: 'Seen', action: 'Look', note: 'seen' });
        return Promise.resolve(undefined);
      },
    });
    await createPage();
    await until('it is recorded', () => operator.events.length > 0);
    expect(operator.events[0]).toBe('home Seen');
  });

  test('log, and the failure of a reconcile -> one id in its lines, another one in the next', async () => {
    let tries = 0;
    const operator = run({
      reconcile: ({ log }) => {
        log.info('Trying');
        tries += 1;
        return tries > 2 ? Promise.resolve(undefined) : Promise.reject(new Error('not yet'));
      },
    });
    await createPage();
    for (const failures of [1, 2]) {
      await until(
        'it fails',
        () => operator.lines.filter(({ msg }) => msg === 'Reconcile failed').length === failures,
      );
      await clock.advance(1_000_000);
    }
    await until('it succeeds', () => tries === 3);
    const lines = operator.lines.filter(({ msg }) => msg === 'Trying' || msg === 'Reconcile failed');
    expect(lines.map(({ msg, key }) => [msg, key])).toEqual([
      ['Trying', 'default/home'],
      ['Reconcile failed', 'default/home'],
      ['Trying', 'default/home'],
      ['Reconcile failed', 'default/home'],
      ['Trying', 'default/home'],
    ]);
    const ids = lines.map(({ reconcileID }) => reconcileID);
    expect(ids.every((id) => id !== undefined)).toBe(true);
    expect([ids[0], ids[2], new Set(ids).size]).toEqual([ids[1], ids[3], 3]);
  });
});

describe('kind that is kept by a projection', () => {
  const told = { deletionTimestamp: true, finalizers: true, generation: true } as const;
  const compose = (metadata: Partial<typeof told>): void => {
    const client = connectAs('operator');
    stops.push(() => client.close());
    composeApp(
      {
        ...{ name: 'operator', client, clock, now: () => now, logger: pino({ level: 'silent' }) },
        registry: new Registry(),
        events: { record: () => undefined, run: () => Promise.resolve() },
        gates: parseFeatureGates({}, ''),
        ...{ namespaces: [], concurrentSyncs: 2 },
      },
      (app) => {
        const maps = app.watch(configMaps, createProjection<ConfigMap>(configMaps, { metadata }));
        objectController({ ...app, client }, { for: maps, reconcile: () => Promise.resolve(undefined) });
      },
    );
  };

  test.each(['deletionTimestamp', 'finalizers', 'generation'] as const)(
    'without its %s -> refused: it would be taken for absent',
    (field) => {
      const others = Object.fromEntries(Object.entries(told).filter(([name]) => name !== field));
      expect(() => compose(others)).toThrow(
        `the cache of configmaps does not keep metadata.${field}, without which a ConfigMap that is being deleted, or has changed, looks as if it were not; add metadata: { ${field}: true } to its projection`,
      );
    },
  );

  test('with these -> taken', () => {
    expect(() => compose(told)).not.toThrow();
  });
});
