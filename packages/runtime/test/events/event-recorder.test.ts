import { describe, expect, jest, test } from '@jest/globals';
import { persistentVolumeClaims, persistentVolumes, pods, type KubernetesObject } from '@holdfast/core';
import { createFakeClock, settled, type FakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { ApiError } from '../../src/client/api-error.ts';
import { createEventMetrics } from '../../src/events/event-metrics.ts';
import type { EventText } from '../../src/events/event-object.ts';
import {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
} from '../../src/events/event-recorder.ts';
import { character } from '../character.ts';
import { createEventSink, type EventSink } from './event-sink.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

const minute = 60_000;
const text: EventText = { type: 'Normal', reason: 'DeletionPostponed', action: 'Postpone', note: 'in use' };

function object(name: string, resourceVersion = '1'): KubernetesObject {
  return { metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion } };
}

interface Stage {
  readonly clock: FakeClock;
  readonly sink: EventSink;
  readonly recorder: EventRecorder;
  record(name?: string, change?: Partial<EventText>): void;
  counts(): Promise<Readonly<Record<string, number>>>;
  /** Ends the recorder in good order; its last words have then been sent. `within`: milliseconds, default 5000. */
  end(within?: number): Promise<void>;
}

function open(options: Partial<EventRecorderOptions> = {}): Stage {
  const clock = createFakeClock();
  const program = { name: 'acme-sites', domain: 'acme.example' };
  const sink = createEventSink();
  const registry = new Registry();
  const start = Date.UTC(2026, 0, 1);
  const recorder = createEventRecorder({
    client: sink.client,
    app: program,
    logger: pino({ level: 'silent' }),
    metrics: createEventMetrics(registry, program),
    clock,
    now: () => new Date(start + clock.now()),
    random: () => 0,
    ...options,
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  return {
    clock,
    sink,
    recorder,
    record: (name = 'data', change = {}) =>
      recorder.record(persistentVolumeClaims, object(name), { ...text, ...change }),
    counts: async () => {
      const metric = await registry.getSingleMetric('acme_sites_events_total')?.get();
      return Object.fromEntries(
        (metric?.values ?? [])
          .filter(({ value }) => value > 0)
          .map(({ labels, value }) => [labels['result'], value]),
      ) as Record<string, number>;
    },
    end: async (within = 5_000) => {
      stop.abort(new Error('end of the test'));
      await clock.advance(within);
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

describe('one event', () => {
  test('namespaced object -> an Event in its namespace, named after it and the time', async () => {
    const { clock, sink, recorder, end } = open();
    recorder.record(persistentVolumeClaims, object('data'), {
      ...text,
      related: { resource: pods, object: object('db-0') },
    });
    await clock.advance(0);
    const regarding = { apiVersion: 'v1', namespace: 'shop', resourceVersion: '1' };
    expect([...sink.stored.values()]).toEqual([
      {
        metadata: {
          name: `data.${(BigInt(Date.UTC(2026, 0, 1) + 1_000) * 1_000_000n).toString(16)}`,
          namespace: 'shop',
        },
        eventTime: '2026-01-01T00:00:01.000000Z',
        type: 'Normal',
        reason: 'DeletionPostponed',
        action: 'Postpone',
        note: 'in use',
        reportingController: 'acme.example/acme-sites',
        reportingInstance: expect.stringMatching(/^acme\.example\/acme-sites-./),
        regarding: { ...regarding, kind: 'PersistentVolumeClaim', name: 'data', uid: 'uid-data' },
        related: { ...regarding, kind: 'Pod', name: 'db-0', uid: 'uid-db-0' },
      },
    ]);
    await end();
  });

  test('object of the cluster -> an Event in default, without a namespace in its reference', async () => {
    const { clock, sink, recorder, end } = open();
    const volume = { metadata: { name: 'pv-1', uid: 'u', resourceVersion: '1' } };
    recorder.record(persistentVolumes, volume, text);
    await clock.advance(0);
    const [event] = sink.stored.values();
    expect(event?.metadata.namespace).toBe('default');
    expect(event?.regarding).not.toHaveProperty('namespace');
    await end();
  });

  test.each([
    ['longest name that an object may have', 'x'.repeat(253), /^x{236}\.[0-9a-f]{16}$/],
    ['cut at a dot', `${'x'.repeat(235)}.${'y'.repeat(17)}`, /^x{235}\.[0-9a-f]{16}$/],
    ['name that an Event must not have', 'system:node', /^persistentvolumeclaim\.[0-9a-f]{16}$/],
  ])('%s -> name is still valid', async (_case, name, expected) => {
    const { clock, sink, record, end } = open();
    record(name);
    await clock.advance(0);
    expect([...sink.stored.keys()]).toEqual([expect.stringMatching(expected)]);
    await end();
  });

  test('two different events within a millisecond -> two names', async () => {
    const { clock, sink, record, end } = open();
    record();
    record('data', { reason: 'Other' });
    await clock.advance(0);
    expect(sink.stored.size).toBe(2);
    await end();
  });

  test('any note, reason and action -> cut to the limits in bytes, never within a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: character, minLength: 1, maxLength: 1_200, size: 'max' }),
        async (words) => {
          const { clock, sink, record, end } = open();
          record('data', { note: words, reason: words, action: words });
          await clock.advance(0);
          const [event] = sink.stored.values();
          for (const [cut, limit] of [
            [event?.note ?? '', 1024],
            [event?.reason ?? '', 128],
            [event?.action ?? '', 128],
          ] as const) {
            expect(words.startsWith(cut)).toBe(true);
            const bytes = Buffer.byteLength(cut);
            expect(bytes).toBeLessThanOrEqual(limit);
            // No more was cut than had to be: a character takes four bytes at the most.
            expect(bytes).toBeGreaterThanOrEqual(Math.min(Buffer.byteLength(words), limit - 3));
          }
          await end();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('series', () => {
  test('same event again and again -> one Event, its count sent at the second and every 30 minutes', async () => {
    const { clock, sink, record, counts, end } = open();
    await clock.advance(minute / 2);
    for (let event = 0; event < 70; event++) {
      record();
      await clock.advance(minute);
    }
    const seriesSent = sink.requests.map((request) =>
      request.verb === 'patch' ? request.series : request.event.metadata.name,
    );
    expect(seriesSent).toEqual([
      expect.stringMatching(/^data\./),
      { count: 2, lastObservedTime: '2026-01-01T00:01:31.000000Z' },
      { count: 32, lastObservedTime: '2026-01-01T00:31:31.000000Z' },
      { count: 62, lastObservedTime: '2026-01-01T01:01:31.000000Z' },
    ]);
    expect(await counts()).toEqual({ sent: 2, merged: 68 });
    await end();
  });

  test('six minutes without news -> last count sent once, the next event is a new Event', async () => {
    const { clock, sink, record, end } = open();
    for (let event = 0; event < 5; event++) {
      record();
      await clock.advance(1_000);
    }
    await clock.advance(8 * minute);
    expect([...sink.stored.values()].map(({ series }) => series?.count)).toEqual([5]);
    await clock.advance(60 * minute);
    expect(sink.requests.map(({ verb }) => verb)).toEqual(['create', 'patch', 'patch']);
    record();
    await clock.advance(0);
    expect(sink.stored.size).toBe(2);
    await end();
  });

  test('single event, six minutes later again -> two Events', async () => {
    const { clock, sink, record, end } = open();
    record();
    await clock.advance(8 * minute);
    record();
    await clock.advance(0);
    expect(sink.requests.map(({ verb }) => verb)).toEqual(['create', 'create']);
    await end();
  });

  test('Event deleted meanwhile -> made anew with the count', async () => {
    const { clock, sink, record, end } = open();
    record();
    await clock.advance(0);
    sink.expire();
    record();
    await clock.advance(0);
    expect([...sink.stored.values()].map(({ series }) => series?.count)).toEqual([2]);
    await end();
  });

  test('second event while the first waits to be sent -> one request with both', async () => {
    const { clock, sink, record, counts, end } = open();
    let free = (): void => undefined;
    sink.trouble = () => new Promise((resolve) => (free = resolve));
    record('other');
    await settled();
    record();
    record();
    record();
    sink.trouble = undefined;
    free();
    await clock.advance(0);
    expect(sink.requests.length).toBe(2);
    expect([...sink.stored.values()].map(({ series }) => series?.count)).toEqual([undefined, 3]);
    expect(await counts()).toEqual({ sent: 2, merged: 2 });
    await end();
  });

  test('other object, version, type, reason, action, note or related object -> an Event each', async () => {
    const { clock, sink, recorder, record, end } = open();
    record();
    record('data', { note: 'other' });
    record('other');
    record('data', { type: 'Warning' });
    record('data', { reason: 'Other' });
    record('data', { action: 'Other' });
    record('data', { related: { resource: pods, object: object('db-0') } });
    record('data', { related: { resource: pods, object: object('db-1') } });
    recorder.record(persistentVolumeClaims, object('data', '2'), text);
    await clock.advance(0);
    expect(sink.stored.size).toBe(9);
    await end();
  });
});

describe('limits', () => {
  test('storm of different events about one object -> 25 Events, the others filtered', async () => {
    const { clock, sink, record, counts, end } = open();
    for (let event = 0; event < 100; event++) {
      record('data', { reason: `Reason${String(event)}` });
    }
    record('other');
    await clock.advance(10_000);
    expect(sink.stored.size).toBe(26);
    expect(await counts()).toEqual({ sent: 26, filtered: 75 });
    await end();
  });

  test('API server hangs -> one request under way, a thousand wait, the others are dropped', async () => {
    const { clock, sink, record, counts, end } = open();
    sink.trouble = () => new Promise(() => undefined);
    for (let event = 0; event < 1_500; event++) {
      record(`data-${String(event)}`);
    }
    await clock.advance(0);
    expect(sink.requests.length).toBe(1);
    expect((await counts())['dropped']).toBe(500);
    await end();
  });

  test('burst of 500 -> forty at once, then twenty a second', async () => {
    const { clock, sink, record, end } = open();
    for (let event = 0; event < 500; event++) {
      record(`data-${String(event)}`);
    }
    await clock.advance(0);
    expect(sink.requests.length).toBe(40);
    await clock.advance(2_000);
    expect(sink.requests.length).toBe(80);
    await clock.advance(21_000);
    expect(sink.requests.length).toBe(500);
    await end();
  });

  test('requests hang while events of 500 namespaces wait -> then forty at once, and twenty a second', async () => {
    const { clock, sink, recorder, end } = open();
    const answers: (() => void)[] = [];
    sink.trouble = () => new Promise<void>((resolve) => answers.push(resolve));
    for (let index = 0; index < 500; index++) {
      const metadata = { name: 'data', namespace: `ns-${String(index)}`, uid: `uid-${String(index)}` };
      recorder.record(persistentVolumeClaims, { metadata: { ...metadata, resourceVersion: '1' } }, text);
    }
    await clock.advance(25_000);
    expect(sink.requests.length).toBe(8);
    sink.trouble = undefined;
    answers.forEach((answer) => answer());
    await clock.advance(0);
    expect(sink.requests.length).toBe(8 + 40);
    await clock.advance(2_000);
    expect(sink.requests.length).toBe(8 + 80);
    await clock.advance(30_000);
    expect(sink.requests.length).toBe(500);
    await end();
  });
});

describe('one namespace holds up no other', () => {
  const inNamespace = (namespace: string, name = 'data'): KubernetesObject => ({
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, resourceVersion: '1' },
  });
  /** As a webhook for the Events of some namespaces, whose server does not answer. */
  const hangIn = (sink: EventSink, isHanging: (namespace: string) => boolean): void => {
    const { create } = sink.client;
    Object.assign(sink.client, {
      create: (...args: Parameters<typeof create>) => {
        const created = create(...args);
        return isHanging(args[1] ?? '') ? created.then(() => new Promise(() => undefined)) : created;
      },
    });
  };
  const namespacesOf = (sink: EventSink): readonly (string | undefined)[] =>
    sink.requests.flatMap((request) => (request.verb === 'create' ? [request.event.metadata.namespace] : []));

  test('requests hang in seven namespaces -> those of another are sent', async () => {
    const { clock, sink, recorder } = open();
    hangIn(sink, (namespace) => namespace !== 'shop');
    for (let index = 0; index < 7; index++) {
      recorder.record(persistentVolumeClaims, inNamespace(`odd-${String(index)}`, 'a'), text);
      recorder.record(persistentVolumeClaims, inNamespace(`odd-${String(index)}`, 'b'), text);
    }
    for (let index = 0; index < 20; index++) {
      recorder.record(persistentVolumeClaims, inNamespace('shop', `data-${String(index)}`), text);
    }
    await clock.advance(0);
    expect(namespacesOf(sink).filter((namespace) => namespace === 'shop')).toHaveLength(20);
    expect(namespacesOf(sink).filter((namespace) => namespace === 'odd-0')).toHaveLength(1);
  });

  test('requests hang in twenty namespaces -> those of another wait for the first of these to fail, and then for none', async () => {
    const { clock, sink, recorder } = open();
    sink.trouble = () => {
      const request = sink.requests.at(-1);
      return request?.verb === 'create' && request.event.metadata.namespace !== 'shop'
        ? new Promise((_resolve, reject) => {
            clock.after(30_000, () => reject(new Error('timeout: the API server was silent for 30000 ms')));
          })
        : undefined;
    };
    const record = (namespace: string, name: string) =>
      recorder.record(persistentVolumeClaims, inNamespace(namespace, name), text);
    const sent = () =>
      [...sink.stored.values()].filter(({ metadata: { namespace } }) => namespace === 'shop').length;
    for (let index = 0; index < 100; index++) {
      record(`odd-${String(index % 20)}`, `data-${String(index)}`);
    }
    record('shop', 'first');
    await clock.advance(2 * minute);
    expect(sent()).toBe(1);
    for (let index = 0; index < 5 * 20; index++) {
      record('shop', `data-${String(index)}`);
      await clock.advance(3_000);
    }
    expect(sent()).toBe(101);
  });

  test('no connection for those of one namespace -> those of another do not wait for its next try', async () => {
    const { clock, sink, recorder, counts, end } = open();
    sink.trouble = () => {
      sink.trouble = undefined;
      throw new Error('socket hang up');
    };
    recorder.record(persistentVolumeClaims, inNamespace('odd'), text);
    recorder.record(persistentVolumeClaims, inNamespace('shop'), text);
    await clock.advance(0);
    expect([...sink.stored.values()].map(({ metadata }) => metadata.namespace)).toEqual(['shop']);
    await clock.advance(10_000);
    expect(await counts()).toEqual({ sent: 2 });
    await end();
  });

  test('thousands wait of one namespace -> those of others find room, and come in turn', async () => {
    const { clock, sink, recorder, counts } = open();
    for (let index = 0; index < 3_000; index++) {
      recorder.record(persistentVolumeClaims, inNamespace('odd', `data-${String(index)}`), text);
    }
    recorder.record(persistentVolumeClaims, inNamespace('shop'), text);
    await clock.advance(0);
    expect(namespacesOf(sink).slice(0, 3)).toContain('shop');
    expect((await counts())['dropped']).toBe(2_000);
  });

  test('end while requests hang in one namespace -> those of another are still sent', async () => {
    const { clock, sink, recorder, counts, end } = open();
    sink.trouble = () => {
      throw new Error('socket hang up');
    };
    recorder.record(persistentVolumeClaims, inNamespace('odd', 'a'), text);
    recorder.record(persistentVolumeClaims, inNamespace('odd', 'b'), text);
    await clock.advance(0);
    const { create } = sink.client;
    sink.trouble = undefined;
    Object.assign(sink.client, {
      create: (...args: Parameters<typeof create>) =>
        args[1] === 'odd' ? Promise.reject(new Error('socket hang up')) : create(...args),
    });
    for (let index = 0; index < 30; index++) {
      recorder.record(persistentVolumeClaims, inNamespace('shop', `data-${String(index)}`), text);
    }
    await end();
    expect(await counts()).toEqual({ sent: 30, failed: 1, dropped: 1 });
  });
});

describe('failures', () => {
  test('no connection for a minute -> everything waits, nothing is lost, nothing comes twice', async () => {
    const { clock, sink, record, counts, end } = open();
    sink.trouble = () => {
      throw new Error('connect ECONNREFUSED');
    };
    record('a');
    record('b');
    await clock.advance(55_000);
    expect(sink.requests.length).toBe(6);
    sink.trouble = undefined;
    await clock.advance(10_000);
    expect([...sink.stored.values()].map(({ regarding }) => regarding?.name)).toEqual(['a', 'b']);
    expect(await counts()).toEqual({ sent: 2 });
    await end();
  });

  test('no connection for good -> given up after twelve tries', async () => {
    const { clock, sink, record, counts, end } = open();
    sink.trouble = () => {
      throw new Error('connect ECONNREFUSED');
    };
    record();
    await clock.advance(10 * minute);
    expect(sink.requests.length).toBe(12);
    expect(await counts()).toEqual({ failed: 1 });
    await end();
  });

  test.each([
    ['403 in a terminating namespace', 403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }],
    ['404 of the namespace', 404, { reason: 'NotFound' }],
    ['403 for lack of permission', 403, { reason: 'Forbidden' }],
    ['422', 422, { reason: 'Invalid' }],
    ['500 of a webhook', 500, { reason: 'InternalError' }],
  ])('%s -> dropped, not tried again, the next is sent', async (_case, code, status) => {
    const { clock, sink, record, counts, end } = open();
    sink.trouble = () => {
      sink.trouble = undefined;
      throw new ApiError('POST /events', code, status);
    };
    record('a');
    record('b');
    await clock.advance(minute);
    expect([...sink.stored.values()].map(({ regarding }) => regarding?.name)).toEqual(['b']);
    expect(sink.requests.length).toBe(2);
    expect(await counts()).toEqual({ refused: 1, sent: 1 });
    await end();
  });

  test('403 for 200 Events in ten minutes -> some lines at once, then one a minute', async () => {
    const lines: string[] = [];
    const { clock, sink, record, counts, end } = open({
      logger: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });
    sink.trouble = () => {
      throw new ApiError('POST /events', 403, { reason: 'Forbidden', message: 'exceeded quota' });
    };
    for (let event = 0; event < 200; event++) {
      record(`data-${String(event)}`);
      await clock.advance(3_000);
    }
    expect(await counts()).toEqual({ refused: 200 });
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThan(20);
    await end();
  });

  test('answer to the create is lost -> found as already there, and not made twice', async () => {
    const { clock, sink, record, counts, end } = open();
    const { create } = sink.client;
    let lose = true;
    Object.assign(sink.client, {
      create: async (...args: Parameters<typeof create>) => {
        const answer = await create(...args);
        if (lose) {
          lose = false;
          throw new Error('socket hang up');
        }
        return answer;
      },
    });
    record();
    await clock.advance(0);
    record();
    await clock.advance(minute);
    expect([...sink.stored.values()].map(({ series }) => series?.count)).toEqual([2]);
    expect(await counts()).toEqual({ sent: 1, merged: 1 });
    await end();
  });
});

describe('end', () => {
  test('events wait and a series has news -> sent before the end; later events are dropped', async () => {
    const { clock, sink, record, counts, end } = open();
    record();
    record();
    await clock.advance(0);
    record();
    record('last');
    await end();
    expect([...sink.stored.values()].map(({ series }) => series?.count)).toEqual([3, undefined]);
    record('too-late');
    expect(await counts()).toEqual({ sent: 2, merged: 2, dropped: 1 });
  });

  test('API server is gone -> one try, and the end at once', async () => {
    const { clock, sink, record, counts, end } = open();
    sink.trouble = () => {
      throw new Error('connect ECONNREFUSED');
    };
    record('a');
    record('b');
    record('c');
    await clock.advance(0);
    await end();
    expect(sink.requests.length).toBe(2);
    expect(await counts()).toEqual({ failed: 1, dropped: 2 });
  });

  test('API server hangs, events of 300 namespaces wait -> counted in the last line', async () => {
    const lines: string[] = [];
    const { clock, sink, recorder, end } = open({
      logger: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    });
    sink.trouble = () => new Promise(() => undefined);
    for (let index = 0; index < 300; index++) {
      const metadata = { name: 'data', namespace: `ns-${String(index)}`, uid: `uid-${String(index)}` };
      recorder.record(persistentVolumeClaims, { metadata: { ...metadata, resourceVersion: '1' } }, text);
    }
    await clock.advance(0);
    await end();
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      count: 300,
      msg: 'Events not recorded before the end',
    });
  });

  test('API server hangs -> the request is given up well before the process is ended for it', async () => {
    const { sink, record, counts, end } = open();
    sink.trouble = () => new Promise(() => undefined);
    record('a');
    record('b');
    await settled();
    await end(2_000);
    expect(await counts()).toEqual({ failed: 1, dropped: 1 });
  });
});
