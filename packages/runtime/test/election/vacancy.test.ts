import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { createTenure } from '../../src/client/tenure.ts';
import { createCandidate, type Candidate, type CandidateOptions } from '../../src/election/candidate.ts';
import { createLeaderElectionMetrics } from '../../src/election/leader-election-metrics.ts';
import { runLeaderElection } from '../../src/election/leader-election.ts';
import { annotate } from '../../src/election/vacancy.ts';
import { Registry } from 'prom-client';
import { createLeaseServer, type LeaseServer } from './lease-server.ts';

/* A lease that comes from a backup of etcd was last renewed when that was made. */

const noon = Date.parse('2026-01-01T12:00:00Z');
const minute = 60_000;
const clock = createFakeClock();
const signal = new AbortController().signal;

/** A lease that nobody holds any more, and that was last renewed at this time. */
function renewedAt(renewTime: string | undefined): LeaseServer {
  const server = createLeaseServer();
  server.write({ holderIdentity: '', leaseDurationSeconds: 1, ...(renewTime && { renewTime }) });
  return server;
}

/** A candidate by clocks that show this; the API server's shows the same by default. */
function candidateOf(
  server: LeaseServer,
  at: number | { readonly now: number; readonly serverNow: number },
  serverAt?: number,
): Candidate {
  return createCandidate(optionsOf(server, at, serverAt));
}

function optionsOf(
  server: LeaseServer,
  at: number | { readonly now: number; readonly serverNow: number },
  serverAt?: number,
): CandidateOptions {
  const times = typeof at === 'number' ? { now: at, serverNow: serverAt ?? at } : at;
  return {
    client: server.clientOf(clock, undefined, () => new Date(times.serverNow)),
    ...{ namespace: 'ops', name: 'lock', identity: 'a', leaseDuration: 15_000, clock },
    now: () => new Date(times.now),
    logger: pino({ level: 'silent' }),
    annotations: { ledAgain: 'acme.example/led-again', restored: 'acme.example/restored' },
  };
}

/** Lets the requests arrive. */
async function now<T>(answer: Promise<T>): Promise<T> {
  // It can be rejected before it is returned.
  answer.catch(() => undefined);
  await clock.advance(0);
  await clock.advance(0);
  return answer;
}

/** What a candidate learns that takes or renews the lease; undefined if nobody led it again. */
async function taken(
  server: LeaseServer,
  at: number,
  {
    serverAt,
    identity = 'a',
    meanwhile,
  }: {
    readonly serverAt?: number;
    readonly identity?: string;
    /** What happens between its read and its write. */
    readonly meanwhile?: () => void;
  } = {},
): Promise<number | undefined> {
  const client = server.clientOf(
    clock,
    undefined,
    serverAt === undefined ? undefined : () => new Date(serverAt),
  );
  const { take } = createCandidate({
    client: {
      ...client,
      patch: (...args) => {
        meanwhile?.();
        return client.patch(...args);
      },
    },
    namespace: 'ops',
    name: 'lock',
    identity,
    leaseDuration: 15_000,
    clock,
    now: () => new Date(at),
    logger: pino({ level: 'silent' }),
    annotations: { ledAgain: 'acme.example/led-again', restored: 'acme.example/restored' },
  });
  const taking = take(signal);
  await clock.advance(0);
  const outcome = await taking;
  return outcome.kind === 'ours' ? outcome.ledAgain : NaN;
}

test.each([
  { name: 'renewed five minutes ago', lease: '2026-01-01T11:55:00.000000Z', ledAgain: undefined },
  { name: 'renewed before that', lease: '2026-01-01T11:54:59.999000Z', ledAgain: noon },
  {
    name: "the same by the API server's clock alone",
    lease: '2026-01-01T11:59:00.000000Z',
    serverAt: noon + 5 * minute,
    ledAgain: noon + 5 * minute,
  },
  {
    name: "the same by this machine's clock alone",
    lease: '2026-01-01T11:50:00.000000Z',
    serverAt: noon - 6 * minute,
    ledAgain: noon,
  },
  {
    name: 'the same by a clock that is a day ahead',
    lease: '2026-01-01T11:50:00.000000Z',
    serverAt: noon + 24 * 60 * minute,
    ledAgain: noon,
  },
  { name: 'never renewed', lease: undefined, ledAgain: undefined },
  { name: 'renewed at a time that is none', lease: 'yesterday', ledAgain: undefined },
  { name: 'renewed by a clock that was ahead', lease: '2026-01-01T13:00:00.000000Z', ledAgain: undefined },
])('$name -> led again at $ledAgain', async ({ lease, serverAt, ledAgain }) => {
  const server = renewedAt(lease);
  expect(await taken(server, noon, serverAt === undefined ? {} : { serverAt })).toBe(ledAgain);
  expect(server.lease?.spec?.holderIdentity).toBe('a');
});

test('renewed at a number -> taken, and not led again', async () => {
  const server = createLeaseServer();
  server.write({ holderIdentity: '', renewTime: 7 as unknown as string });
  expect(await taken(server, noon)).toBeUndefined();
  expect(server.lease?.spec?.holderIdentity).toBe('a');
});

test('lease with another annotation -> that stays; one that gets its first annotations meanwhile -> looked at again', async () => {
  const annotations = { 'example.com/team': 'storage' };
  const server = renewedAt('2026-01-01T06:00:00.000000Z');
  server.annotate(annotations);
  await taken(server, noon);
  expect(server.lease?.metadata.annotations).toEqual({
    ...annotations,
    'acme.example/led-again': '2026-01-01T12:00:00.000Z',
  });
  const bare = renewedAt('2026-01-01T06:00:00.000000Z');
  const outcome = taken(bare, noon, { meanwhile: () => bare.annotate(annotations) });
  expect(await outcome).toBeNaN();
  expect(bare.lease?.metadata.annotations).toEqual(annotations);
});

test('lease that was seen is gone -> led again: the backup might lack it', async () => {
  const server = createLeaseServer();
  const { take } = candidateOf(server, noon);
  await now(take(signal));
  server.remove();
  expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: noon });
});

describe('clocks of this machine and of the API server that are six minutes apart', () => {
  test.each([6, -6])('by %d -> who renews its own lease does not lead again each time', async (minutes) => {
    const server = createLeaseServer();
    const { take, askLedAgain } = candidateOf(server, noon, noon + minutes * minute);
    await now(take(signal));
    expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: undefined });
    expect(await now(askLedAgain(signal))).toBeUndefined();
  });

  test('the answer to a renewal is lost, and others are refused -> the next try does not lead again', async () => {
    const server = createLeaseServer();
    const { client, ...rest } = optionsOf(server, noon, noon + 6 * minute);
    let isLost = false;
    let isRefused = false;
    const { take, askLedAgain } = createCandidate({
      ...rest,
      client: {
        ...client,
        patch: async (...args) => {
          if (isRefused) {
            throw new Error('refused');
          }
          const answer = await client.patch(...args);
          if (isLost) {
            throw new Error('the answer is lost');
          }
          return answer;
        },
      },
    });
    await now(take(signal));
    isLost = true;
    await expect(now(take(signal))).rejects.toThrow('the answer is lost');
    expect(await now(askLedAgain(signal))).toBeUndefined();
    isRefused = true;
    for (let tries = 0; tries < 5; tries += 1) {
      await expect(now(take(signal))).rejects.toThrow('refused');
    }
    isRefused = false;
    expect(await now(askLedAgain(signal))).toBeUndefined();
    isLost = false;
    expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: undefined });
  });

  test('one jumps by more than five minutes -> led again', async () => {
    for (const jumped of ['now', 'serverNow'] as const) {
      const server = createLeaseServer();
      const at = { now: noon, serverNow: noon };
      const { take } = candidateOf(server, at);
      await now(take(signal));
      at[jumped] += 5 * minute;
      expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: undefined });
      at[jumped] += 5 * minute + 1;
      expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: noon + 10 * minute + 1 });
    }
  });
});

test.each<{ name: string; happens: (server: LeaseServer) => void; ledAgain: number | undefined }>([
  { name: 'nothing', happens: () => undefined, ledAgain: undefined },
  {
    name: 'the lease comes from a backup',
    happens: (server) => server.write({ ...server.lease?.spec, renewTime: '2026-01-01T06:00:00.000000Z' }),
    ledAgain: noon,
  },
  { name: 'it is gone', happens: (server) => server.remove(), ledAgain: noon },
  {
    name: 'another holds it',
    happens: (server) => server.write({ ...server.lease?.spec, holderIdentity: 'b' }),
    ledAgain: noon,
  },
  {
    name: 'it says that it was led again',
    happens: (server) => server.annotate({ 'acme.example/led-again': '2026-01-01T11:30:00Z' }),
    ledAgain: noon - 30 * minute,
  },
])('asked between two renewals, $name -> led again at $ledAgain', async ({ happens, ledAgain }) => {
  const server = createLeaseServer();
  const { take, askLedAgain } = candidateOf(server, noon);
  await now(take(signal));
  happens(server);
  expect(await now(askLedAgain(signal))).toBe(ledAgain);
});

test('asked by many at once -> the lease is read once, after all have asked; given up by one -> the others are answered', async () => {
  const server = createLeaseServer();
  const { client, ...rest } = optionsOf(server, noon);
  let reads = 0;
  const { take, askLedAgain } = createCandidate({
    ...rest,
    client: {
      ...client,
      get: (...args) => {
        reads += 1;
        return client.get(...args);
      },
    },
  });
  await now(take(signal));
  reads = 0;
  const giveUp = new AbortController();
  const first = askLedAgain(signal);
  const given = askLedAgain(giveUp.signal);
  const later = [askLedAgain(signal), askLedAgain(signal)];
  giveUp.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  expect(await now(Promise.all([first, ...later]))).toEqual([undefined, undefined, undefined]);
  expect(reads).toBe(2);
});

test('no annotation, as in a dry run -> nobody notices whether the lease was held before, and it is not asked', async () => {
  const { annotations, ...rest } = optionsOf(renewedAt('2026-01-01T06:00:00.000000Z'), noon);
  expect(annotations).toBeDefined();
  const { take, askLedAgain } = createCandidate(rest);
  expect(await now(take(signal))).toEqual({ kind: 'ours', ledAgain: undefined });
  expect(await askLedAgain(signal)).toBeUndefined();
});

test('no lease -> not led again', async () => {
  expect(await taken(createLeaseServer(), noon)).toBeUndefined();
});

test('led again, and the next leader takes over soon -> that one knows when; after the next vacancy it is a new time', async () => {
  const server = renewedAt('2026-01-01T06:00:00.000000Z');
  await taken(server, noon);
  server.write({ ...server.lease?.spec, holderIdentity: '' });
  expect(await taken(server, noon + minute, { identity: 'b' })).toBe(noon);
  expect(await taken(server, noon + 2 * minute, { identity: 'b' })).toBe(noon);
  expect(await taken(server, noon + 20 * minute, { identity: 'b' })).toBe(noon + 20 * minute);
  expect(server.lease?.metadata.annotations).toEqual({
    'acme.example/led-again': '2026-01-01T12:20:00.000Z',
  });
});

test('leader, the lease is restored beneath it -> nothing is due for an hour, and a log line says why', async () => {
  const server = createLeaseServer();
  const tenure = createTenure(clock);
  const stop = new AbortController();
  const finished = Promise.withResolvers<undefined>();
  const lines: string[] = [];
  const ended = runLeaderElection(
    {
      client: server.clientOf(clock),
      namespace: 'ops',
      name: 'lock',
      identity: 'a',
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
      clock,
      now: () => new Date(noon),
      random: () => 0,
      logger: pino({}, { write: (line) => void lines.push(line) }),
      metrics: createLeaderElectionMetrics(new Registry(), 'lock'),
      tenure,
      annotations: { ledAgain: 'acme.example/led-again', restored: 'acme.example/restored' },
    },
    () => finished.promise,
    stop.signal,
  );
  await clock.advance(4_000);
  expect(tenure.nothingDueBefore()).toBeUndefined();
  server.write({ ...server.lease?.spec, renewTime: '2026-01-01T06:00:00.000000Z' });
  expect(tenure.nothingDueBefore()).toBeUndefined();
  expect(await now(tenure.askNothingDueBefore(signal))).toBe(noon + 60 * minute);
  await clock.advance(2_000);
  expect(tenure.nothingDueBefore()).toBe(noon + 60 * minute);
  expect(lines.filter((line) => line.includes('restored from a backup'))).toHaveLength(1);
  stop.abort(new Error('test is over'));
  finished.resolve(undefined);
  await clock.advance(60_000);
  await ended;
});

test('nothing to record on the lease -> its annotations are left alone', () => {
  expect(annotate({ metadata: { name: 'lock', uid: 'u', resourceVersion: '1' } }, {})).toStrictEqual([]);
});
