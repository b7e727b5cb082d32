import { describe, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import fc from 'fast-check';
import { pino, type Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { createLeaderElectionMetrics } from '../../src/election/leader-election-metrics.ts';
import {
  runLeaderElection,
  type LeaderElectionOptions,
  type TermEnd,
} from '../../src/election/leader-election.ts';
import { createTenure, TenureOver } from '../../src/client/tenure.ts';
import { sleep, type Clock } from '../../src/time/clock.ts';
import { createLeaseServer, type Journey, type LeaseServer } from './lease-server.ts';

const swift: Journey = { there: 0, back: 0, timeout: 30_000 };
const dead: Journey = { there: 'lost', back: 'lost', timeout: 30_000 };
const patchNotApplied = 'the server rejected our request due to an error in our request';
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

interface Candidate {
  readonly ended: Promise<TermEnd>;
  readonly stop: AbortController;
  readonly registry: Registry;
  isLeading(): boolean;
  /** When the lead's signal was aborted, on the candidate's clock. */
  lostAt(): number | undefined;
  /** The leader has done its work. */
  finish(): void;
}

function stand(
  server: LeaseServer,
  clock: Clock,
  identity: string,
  options: Partial<LeaderElectionOptions> & { readonly journey?: () => Journey } = {},
): Candidate {
  const { journey, ...rest } = options;
  const stop = new AbortController();
  const registry = new Registry();
  const finished = Promise.withResolvers<undefined>();
  let leading = false;
  let lostAt: number | undefined;
  const ended = runLeaderElection(
    {
      client: server.clientOf(clock, journey),
      namespace: 'ops',
      name: 'lock',
      identity,
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
      clock,
      random: () => 0,
      logger: pino({ level: 'silent' }),
      metrics: createLeaderElectionMetrics(registry, 'lock'),
      ...rest,
    },
    async (lost) => {
      leading = true;
      lost.addEventListener('abort', () => {
        lostAt = clock.now();
        finished.resolve(undefined);
      });
      await finished.promise;
      leading = false;
    },
    stop.signal,
  );
  return {
    ended,
    stop,
    registry,
    isLeading: () => leading,
    lostAt: () => lostAt,
    finish: () => finished.resolve(undefined),
  };
}

/** Ends the candidate's term, whichever way it is in. */
async function end(clock: FakeClock, candidate: Candidate): Promise<TermEnd> {
  candidate.stop.abort(new Error('test is over'));
  candidate.finish();
  await clock.advance(60_000);
  return candidate.ended;
}

const masterStatus = async ({ registry }: Candidate): Promise<string | undefined> =>
  /leader_election_master_status\{name="lock"\} (\d)/.exec(await registry.metrics())?.[1];

describe('taking the lease', () => {
  test('no lease -> created, and led at once', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    expect(await masterStatus(a)).toBe('0');
    await clock.advance(0);
    expect(a.isLeading()).toBe(true);
    expect(await masterStatus(a)).toBe('1');
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: expect.stringMatching(microTime),
      renewTime: expect.stringMatching(microTime),
      leaseTransitions: 0,
    });
    expect(await end(clock, a)).toBe('released');
    expect(await masterStatus(a)).toBe('0');
  });

  test('led -> renewed every retry period; since when, and the transitions, stay', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let seconds = 0;
    const a = stand(server, clock, 'a', { now: () => new Date(1_700_000_000_000 + 1_000 * seconds++) });
    await clock.advance(0);
    const first = server.lease;
    await clock.advance(20_000);
    const later = server.lease;
    expect(Number(later?.metadata.resourceVersion) - Number(first?.metadata.resourceVersion)).toBe(10);
    expect(later?.spec).toEqual({ ...first?.spec, renewTime: expect.stringMatching(microTime) });
    expect(String(later?.spec?.renewTime) > String(first?.spec?.renewTime)).toBe(true);
    await end(clock, a);
  });

  test.each([
    { what: '409, another was faster', code: 409, reason: 'Conflict', message: 'apply again', logged: false },
    { what: '422 of a guard', code: 422, reason: 'Invalid', message: patchNotApplied, logged: false },
    {
      what: '404, it was deleted meanwhile',
      code: 404,
      reason: 'NotFound',
      message: 'no lock',
      logged: false,
    },
    { what: "a proxy's 404", code: 404, reason: '', message: 'no such page', logged: true },
    { what: '422 of a policy, which lasts', code: 422, reason: 'Invalid', message: 'no team', logged: true },
    { what: '403', code: 403, reason: 'Forbidden', message: 'no permission', logged: true },
  ])(
    'write of the free lease answered $what -> not led; logged: $logged',
    async ({ code, reason, message, logged }) => {
      const clock = createFakeClock();
      const server = createLeaseServer();
      server.write({ holderIdentity: '', leaseDurationSeconds: 1 });
      const lines: string[] = [];
      const a = stand(server, clock, 'a', {
        client: {
          ...server.clientOf(clock),
          patch: () => Promise.reject(new ApiError('PATCH /lock', code, { code, reason, message })),
        },
        logger: pino({}, { write: (line) => void lines.push(line) }),
      });
      await clock.advance(1_000);
      expect(a.isLeading()).toBe(false);
      expect(lines.some((line) => line.includes(message))).toBe(logged);
      await end(clock, a);
    },
  );

  test.each([
    { times: 'ancient', renewTime: '1970-01-01T00:00:00.000000Z' },
    { times: 'of the future', renewTime: '2999-01-01T00:00:00.000000Z' },
  ])(
    'held by another, its times $times -> taken when unchanged for its duration on our clock',
    async ({ renewTime }) => {
      const clock = createFakeClock();
      const server = createLeaseServer();
      server.write({
        holderIdentity: 'b',
        leaseDurationSeconds: 30,
        renewTime,
        acquireTime: renewTime,
        leaseTransitions: 4,
      });
      const a = stand(server, clock, 'a');
      await clock.advance(29_999);
      expect(a.isLeading()).toBe(false);
      await clock.advance(2_001);
      expect(a.isLeading()).toBe(true);
      expect(server.lease?.spec).toMatchObject({
        holderIdentity: 'a',
        leaseTransitions: 5,
        leaseDurationSeconds: 15,
      });
      expect(server.lease?.spec?.acquireTime).not.toBe(renewTime);
      await end(clock, a);
    },
  );

  test('lease runs out between two tries -> taken when it has run out, not at the next try', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15 });
    // Tries 3.8 s apart: at 11.4 s and 15.2 s.
    const a = stand(server, clock, 'a', { random: () => 0.75 });
    await clock.advance(14_999);
    expect(a.isLeading()).toBe(false);
    await clock.advance(1);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  test('held by another that renews -> not taken; renewing ends -> taken a lease duration after', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    for (let n = 0; n < 20; n++) {
      server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: n });
      await clock.advance(5_000);
    }
    expect(a.isLeading()).toBe(false);
    await clock.advance(12_000);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  // The API server takes none of these; a Lease that is not its own, behind a proxy say, might have them.
  test.each([undefined, null, '1', 'odd', {}, [null], 0, -1, 0.5])(
    'held by another, its duration %j -> taken when unchanged for ours',
    async (duration) => {
      const clock = createFakeClock();
      const server = createLeaseServer();
      server.write({ holderIdentity: 'b', leaseDurationSeconds: duration as number });
      const a = stand(server, clock, 'a');
      await clock.advance(14_999);
      expect(a.isLeading()).toBe(false);
      await clock.advance(1);
      expect(a.isLeading()).toBe(true);
      await end(clock, a);
    },
  );

  test('left by another, its count of transitions no number -> taken, and counted anew', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write({
      holderIdentity: 'b',
      leaseDurationSeconds: 1,
      leaseTransitions: { toString: 'odd' } as never,
    });
    const a = stand(server, clock, 'a');
    await clock.advance(15_000);
    expect(a.isLeading()).toBe(true);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
    await end(clock, a);
  });

  test.each([
    { state: 'no holder', spec: { holderIdentity: '', leaseDurationSeconds: 1 } },
    { state: 'no spec', spec: undefined },
    {
      state: 'held by ourselves: an answer was lost',
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
    },
  ])('$state -> taken at once', async ({ spec }) => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write(spec);
    const a = stand(server, clock, 'a');
    await clock.advance(0);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  test('two at once -> one leads', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const both = [stand(server, clock, 'a'), stand(server, clock, 'b')];
    await clock.advance(60_000);
    expect(both.filter((each) => each.isLeading())).toHaveLength(1);
    for (const each of both) {
      await end(clock, each);
    }
  });

  test('the answer comes after the renew deadline -> not led on it: another may have taken over', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let requests = 0;
    // The first is the look, the second takes the lease.
    const journey = (): Journey => (requests++ === 1 ? { there: 0, back: 12_000, timeout: 30_000 } : swift);
    const a = stand(server, clock, 'a', { journey });
    await clock.advance(11_999);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await clock.advance(1);
    expect(a.isLeading()).toBe(false);
    await clock.advance(2_000);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
    expect(a.lostAt()).toBeUndefined();
  });

  test('aborted while it waits -> never led', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15 });
    const a = stand(server, clock, 'a');
    await clock.advance(5_000);
    expect(await end(clock, a)).toBe('never led');
    expect(server.lease?.spec?.holderIdentity).toBe('b');
  });
});

describe('lease that others touch', () => {
  test('T1: held by one that is dead, and labelled anew each second -> taken when its holder has not renewed it for its duration', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: 'once' });
    const a = stand(server, clock, 'a');
    for (let second = 0; second < 16; second++) {
      await clock.advance(1_000);
      expect(a.isLeading()).toBe(second >= 14);
      if (!a.isLeading()) {
        server.touch();
      }
    }
    await end(clock, a);
  });

  test('T2: deleted while its holder acts -> who has seen that holder waits as if it were there', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    // It acts on until its renew deadline, since nothing of what it sends arrives.
    let cut = false;
    const a = stand(server, clock, 'a', { journey: () => (cut ? dead : swift) });
    await clock.advance(0);
    const b = stand(server, clock, 'b');
    await clock.advance(20_000);
    cut = true;
    server.remove();
    const together: number[] = [];
    while (!b.isLeading() && clock.now() < 60_000) {
      await clock.advance(500);
      if (a.isLeading() && b.isLeading()) {
        together.push(clock.now());
      }
    }
    expect(together).toStrictEqual([]);
    expect(await a.ended).toBe('lost');
    expect(b.isLeading()).toBe(true);
    await end(clock, b);
  });

  test('T2: deleted, its holder had asked for years -> waited for no longer than our own duration', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 1_000_000_000, renewTime: 'once' });
    const a = stand(server, clock, 'a');
    await clock.advance(60_000);
    expect(a.isLeading()).toBe(false);
    server.remove();
    await clock.advance(2_000);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  test('T5: it has changed hands as often as can be counted -> taken all the same', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const most = 2 ** 31 - 1;
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: most });
    const a = stand(server, clock, 'a');
    await clock.advance(20_000);
    expect(a.isLeading()).toBe(true);
    expect(server.lease?.spec?.leaseTransitions).toBe(most);
    await end(clock, a);
  });

  test('T4: the wall clock of the leader stands still -> others see it renew all the same', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const now = (): Date => new Date('2026-01-01T00:00:00Z');
    const a = stand(server, clock, 'a', { now });
    await clock.advance(0);
    const b = stand(server, clock, 'b');
    await clock.advance(60_000);
    expect(a.isLeading()).toBe(true);
    expect(b.isLeading()).toBe(false);
    expect(server.lease?.spec?.renewTime).toMatch(microTime);
    await end(clock, b);
    await end(clock, a);
  });

  test('T2: deleted under the leader, nobody else has taken it -> made anew, and led on', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(20_000);
    server.remove();
    await clock.advance(20_000);
    expect(a.lostAt()).toBeUndefined();
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    await end(clock, a);
  });

  test('T3: another has taken it from the leader -> lost at the next try, not at the renew deadline', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(20_000);
    const taken = clock.now();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
    await clock.advance(2_000);
    expect((a.lostAt() ?? Infinity) - taken).toBeLessThanOrEqual(2_000);
    await clock.advance(0);
    expect(await a.ended).toBe('lost');
  });
});

describe('letting go', () => {
  test('released -> no holder; another takes it at its next try', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(0);
    const b = stand(server, clock, 'b');
    await clock.advance(5_000);
    a.finish();
    await clock.advance(0);
    expect(await a.ended).toBe('released');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    await clock.advance(2_000);
    expect(b.isLeading()).toBe(true);
    await end(clock, b);
  });

  test('the answer to our own last renewal was lost -> the lease is released all the same', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(1_000);
    server.write({ ...server.lease?.spec, renewTime: 'of a renewal whose answer did not come' });
    a.finish();
    await clock.advance(0);
    expect(await a.ended).toBe('released');
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  test('another has taken it meanwhile -> its lease is not touched', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(1_000);
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
    a.finish();
    await clock.advance(0);
    await a.ended;
    expect(server.lease?.spec?.holderIdentity).toBe('b');
  });

  test('lead fails -> the error comes through, no timer stays', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const running = runLeaderElection(
      {
        client: server.clientOf(clock),
        namespace: 'ops',
        name: 'lock',
        identity: 'a',
        leaseDuration: 15_000,
        renewDeadline: 10_000,
        retryPeriod: 2_000,
        clock,
        logger: pino({ level: 'silent' }),
        metrics: createLeaderElectionMetrics(new Registry(), 'lock'),
      },
      () => Promise.reject(new Error('broken')),
      new AbortController().signal,
    );
    const outcome = expect(running).rejects.toThrow('broken');
    await clock.advance(60_000);
    await outcome;
    expect(clock.pending).toBe(0);
  });
});

describe('losing it', () => {
  test.each<{ state: string; journey: Journey }>([
    { state: 'requests hang', journey: dead },
    { state: 'requests fail at once', journey: { ...dead, timeout: 0 } },
    { state: 'requests fail after 1.5 s', journey: { ...dead, timeout: 1_500 } },
    { state: 'requests fail after 2.3 s', journey: { ...dead, timeout: 2_300 } },
    { state: 'requests fail after 4.7 s', journey: { ...dead, timeout: 4_700 } },
    { state: 'requests arrive, answers are lost', journey: { there: 0, back: 'lost', timeout: 3_000 } },
  ])('$state -> the lead is aborted within the renew deadline', async ({ journey }) => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let broken = false;
    const a = stand(server, clock, 'a', { journey: () => (broken ? journey : swift) });
    await clock.advance(20_000);
    const renewed = clock.now();
    broken = true;
    await clock.advance(9_000);
    expect(a.isLeading()).toBe(true);
    await clock.advance(30_000);
    expect((a.lostAt() ?? Infinity) - renewed).toBeLessThanOrEqual(10_000);
    expect(await a.ended).toBe('lost');
    expect(await masterStatus(a)).toBe('0');
  });

  test('some renewals fail, but one in every ten seconds succeeds -> led on', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const journey = (): Journey => (clock.now() % 7_000 < 3_000 ? swift : { ...dead, timeout: 100 });
    const a = stand(server, clock, 'a', { journey });
    await clock.advance(120_000);
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  test('a try takes longer than the retry period and fails, on a connection that is dead -> tried again at once, led on', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let broken = false;
    // The try that begins at 2 s fails at 9.5 s; two seconds later it would be too late for another.
    const a = stand(server, clock, 'a', { journey: () => (broken ? { ...dead, timeout: 7_500 } : swift) });
    await clock.advance(0);
    broken = true;
    await clock.advance(3_000);
    broken = false;
    await clock.advance(30_000);
    expect(a.lostAt()).toBeUndefined();
    expect(a.isLeading()).toBe(true);
    await end(clock, a);
  });

  test('another has taken it -> the lead is aborted within the renew deadline', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(20_000);
    const renewed = clock.now();
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
    await clock.advance(15_000);
    expect((a.lostAt() ?? Infinity) - renewed).toBeLessThanOrEqual(10_000);
    expect(await a.ended).toBe('lost');
    expect(server.lease?.spec?.holderIdentity).toBe('b');
  });
});

test('any clocks that differ less than the slack, any loss and delay -> never two leaders, and one before long', async () => {
  const seed = fc.integer({ min: 1, max: 2 ** 31 - 1 });
  // 10 s on the slowest clock are 11.1 s, 15 s on the fastest 13.6 s: a leader has given up before another takes over.
  const rates = fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(seed, rates, fc.double({ min: 0, max: 0.4, noNaN: true }), async (seed, rates, loss) => {
      const clock = createFakeClock();
      const server = createLeaseServer();
      const random = randomOf(seed);
      const stop = new AbortController();
      const leading = new Set<string>();
      const together: string[] = [];
      let terms = 0;
      let trouble = true;

      const journey = (): Journey => {
        if (!trouble) {
          return swift;
        }
        const way = (): number | 'lost' =>
          random() < loss ? 'lost' : random() < 0.8 ? random() * 200 : random() * 20_000;
        return { there: way(), back: way(), timeout: 1_000 + random() * 20_000 };
      };

      const candidacy = async (identity: string, rate: number): Promise<void> => {
        const own: Clock = {
          now: () => clock.now() * rate,
          after: (delay, callback) => clock.after(delay / rate, callback),
        };
        while (!stop.signal.aborted) {
          await runLeaderElection(
            {
              client: server.clientOf(own, journey),
              namespace: 'ops',
              name: 'lock',
              identity,
              leaseDuration: 15_000,
              renewDeadline: 10_000,
              retryPeriod: 2_000,
              clock: own,
              now: () => new Date(1_700_000_000_000 + clock.now()),
              random,
              logger: pino({ level: 'silent' }),
              metrics: { leading: () => undefined },
            },
            async (lost) => {
              if (leading.size > 0) {
                together.push(`${[...leading].join()} and ${identity} at ${String(clock.now())}`);
              }
              leading.add(identity);
              terms += 1;
              const over = AbortSignal.any([lost, stop.signal]);
              await sleep(own, random() * 120_000, over).catch(() => undefined);
              leading.delete(identity);
            },
            stop.signal,
          );
        }
      };

      const all = Promise.all(rates.map((rate, index) => candidacy(`candidate-${String(index)}`, rate)));
      await clock.advance(240_000);
      trouble = false;
      // A lease duration, and the longest pause between two tries, on the slowest clock.
      const before = terms;
      await clock.advance((15_000 + 2 * 4_400) / 0.9 + 21_000);
      expect(leading.size > 0 || terms > before).toBe(true);
      stop.abort(new Error('test is over'));
      await clock.advance(120_000);
      await all;
      expect(together).toStrictEqual([]);
      expect(terms).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
}, 20_000);

describe('requests that never end', () => {
  /** A client whose requests hang from some time on, whatever their signal says. */
  function hanging(server: LeaseServer, clock: Clock, hangs: () => boolean): ApiClient {
    const client = server.clientOf(clock);
    const answered = async (): Promise<void> => {
      if (hangs()) {
        await new Promise(() => undefined);
      }
    };
    return {
      ...client,
      get: (...request) => answered().then(() => client.get(...request)),
      create: (...request) => answered().then(() => client.create(...request)),
      patch: (...request) => answered().then(() => client.patch(...request)),
    };
  }

  test('H2: renewal hangs and ignores its signal -> lost at the renew deadline, and the term ends', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let hung = false;
    const a = stand(server, clock, 'a', { client: hanging(server, clock, () => hung) });
    const began = clock.now();
    await clock.advance(0);
    expect(a.isLeading()).toBe(true);
    hung = true;
    await clock.advance(9_999);
    expect(a.lostAt()).toBeUndefined();
    await clock.advance(1);
    expect(a.lostAt()).toBe(began + 10_000);
    expect(await a.ended).toBe('lost');
  });

  test('H2: stopped while the first try hangs -> ends within the time for a release', async () => {
    const clock = createFakeClock();
    const a = stand(createLeaseServer(), clock, 'a', {
      client: hanging(createLeaseServer(), clock, () => true),
    });
    await clock.advance(60_000);
    a.stop.abort(new Error('enough'));
    await clock.advance(5_000);
    expect(await a.ended).toBe('never led');
  });

  test('H2: release hangs -> given up after five seconds', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    let hung = false;
    const a = stand(server, clock, 'a', { client: hanging(server, clock, () => hung) });
    await clock.advance(0);
    hung = true;
    a.finish();
    await clock.advance(5_000);
    expect(await a.ended).toBe('released');
  });
});

describe('H2: a process that is stopped, and goes on when its lease has ended', () => {
  /** Its clock goes on by the leap, and no timer has run yet. */
  function leaping(clock: FakeClock): { readonly clock: Clock; leap(milliseconds: number): void } {
    let ahead = 0;
    return {
      clock: { now: () => clock.now() + ahead, after: clock.after },
      leap: (milliseconds) => {
        ahead += milliseconds;
      },
    };
  }

  test('what asks before its timers have run -> refused, and the lease is lost there and then', async () => {
    const fake = createFakeClock();
    const { clock, leap } = leaping(fake);
    const tenure = createTenure(clock);
    const a = stand(createLeaseServer(), clock, 'a', { tenure });
    await fake.advance(0);
    tenure.check();
    leap(9_999);
    tenure.check();
    expect(a.lostAt()).toBeUndefined();
    leap(1);
    expect(() => tenure.check()).toThrow(TenureOver);
    expect(a.lostAt()).toBe(clock.now());
    await fake.advance(10_000);
    expect(await a.ended).toBe('lost');
    expect(() => tenure.check()).toThrow(TenureOver);
  });

  test('renewed in time -> not refused', async () => {
    const fake = createFakeClock();
    const { clock } = leaping(fake);
    const tenure = createTenure(clock);
    const a = stand(createLeaseServer(), clock, 'a', { tenure });
    await fake.advance(60_000);
    tenure.check();
    expect(await end(fake, a)).toBe('released');
  });

  test('work is over, and the lease released -> refused, and not called lost', async () => {
    const clock = createFakeClock();
    const tenure = createTenure(clock);
    const a = stand(createLeaseServer(), clock, 'a', { tenure });
    await clock.advance(0);
    expect(await end(clock, a)).toBe('released');
    expect(() => tenure.check()).toThrow(TenureOver);
    expect(a.lostAt()).toBeUndefined();
  });

  test('work is over while a renewal is under way, and the lease released -> refused', async () => {
    const clock = createFakeClock();
    const tenure = createTenure(clock);
    const server = createLeaseServer();
    const journey = (): Journey => ({ there: 100, back: 100, timeout: 30_000 });
    const a = stand(server, clock, 'a', { tenure, journey });
    await clock.advance(400);
    const renewTime = server.lease?.spec?.renewTime;
    await clock.advance(1_800);
    a.finish();
    await clock.advance(1_000);
    expect(server.lease?.spec?.renewTime).not.toBe(renewTime);
    expect(await a.ended).toBe('released');
    expect(() => tenure.check()).toThrow(TenureOver);
  });

  test('never led -> not refused: a candidate may write what is no work of a leader', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const a = stand(server, clock, 'a');
    await clock.advance(0);
    const tenure = createTenure(clock);
    const b = stand(server, clock, 'b', { tenure });
    await clock.advance(60_000);
    tenure.check();
    expect(await end(clock, b)).toBe('never led');
    expect(await end(clock, a)).toBe('released');
  });
});

interface Line {
  readonly msg: string;
  readonly err?: { readonly message: string };
}

/** A logger, and what it was given. */
function recording(): { readonly lines: readonly Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line) as Line);
  return { lines, logger: pino({ base: null }, { write }) };
}

describe('H6: loss of the lease', () => {
  const reasonOf = (lines: readonly Line[]): string | undefined =>
    lines.find(({ msg }) => msg === 'Lost the lease')?.err?.message;

  test('every renewal is refused by a policy -> each refusal is logged, and the loss names the last', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const { lines, logger } = recording();
    const refused = new ApiError('PATCH /lock', 422, {
      reason: 'Invalid',
      message: 'admission webhook "policy" denied the request: leases are frozen',
    });
    const client = { ...server.clientOf(clock), patch: () => Promise.reject(refused) };
    const a = stand(server, clock, 'a', { client, logger });
    await clock.advance(10_000);
    expect(await a.ended).toBe('lost');
    const refusals = lines.filter(({ msg }) => msg === 'Lease could not be taken or renewed');
    expect(refusals.length).toBeGreaterThan(2);
    expect(refusals[0]?.err?.message).toContain('leases are frozen');
    expect(reasonOf(lines)).toContain('leases are frozen');
  });

  test('another has taken it -> the loss says so', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const { lines, logger } = recording();
    const a = stand(server, clock, 'a', { logger });
    await clock.advance(0);
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
    await clock.advance(10_000);
    expect(await a.ended).toBe('lost');
    expect(reasonOf(lines)).toBe('"b" holds it');
  });

  test('attempt to renew is still under way at the deadline, none has failed -> the loss says so', async () => {
    const clock = createFakeClock();
    const server = createLeaseServer();
    const { lines, logger } = recording();
    const client = server.clientOf(clock);
    let hangs = false;
    // What a standby found before it led is no reason for the loss.
    server.write({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
    const a = stand(server, clock, 'a', {
      client: {
        ...client,
        get: (...request) => (hangs ? new Promise(() => undefined) : client.get(...request)),
      },
      logger,
    });
    await clock.advance(15_000);
    expect(a.isLeading()).toBe(true);
    hangs = true;
    await clock.advance(10_000);
    expect(await a.ended).toBe('lost');
    expect(reasonOf(lines)).toBe(
      'no attempt to renew it has ended for 10000 ms: the API server, or what the credentials come from, does not answer, or this process was stopped',
    );
  });
});

test('H2: a write finds the lease over -> the loss says how long after the last renewal, and why renewals failed', async () => {
  const fake = createFakeClock();
  const server = createLeaseServer();
  const { lines, logger } = recording();
  let ahead = 0;
  const clock: Clock = { now: () => fake.now() + ahead, after: fake.after };
  const tenure = createTenure(clock);
  let broken = false;
  const journey = (): Journey => (broken ? { ...dead, timeout: 100 } : swift);
  const a = stand(server, clock, 'a', { tenure, logger, journey });
  await fake.advance(0);
  broken = true;
  await fake.advance(2_100);
  ahead = 20_000;
  expect(() => tenure.check()).toThrow(TenureOver);
  await fake.advance(10_000);
  expect(await a.ended).toBe('lost');
  expect(lines.find(({ msg }) => msg === 'Lost the lease')?.err?.message).toBe(
    'a write was about to leave 22100 ms after the last renewal, and the renew deadline is 10000 ms: this process was stopped, or too busy to notice: request timed out',
  );
});

/** Random numbers in [0, 1) that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
