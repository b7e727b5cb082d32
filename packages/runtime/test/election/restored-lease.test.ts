import { expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { createCandidate } from '../../src/election/candidate.ts';
import { createLeaseServer, type Journey } from './lease-server.ts';

/*
 * After a restore of etcd, versions are assigned again. A lease that is older than it was shows it, however high they
 * are by then.
 */

const signal = new AbortController().signal;
const annotations = { ledAgain: 'acme.example/led-again', restored: 'acme.example/restored' };

/** Two candidates of a lease, of which `a` holds it. */
async function open() {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const notices: string[] = [];
  let journey: Journey = { there: 0, back: 0, timeout: 30_000 };
  const candidateOf = (identity: string, recorded: Partial<typeof annotations> = annotations) => {
    const { take, askLedAgain, release } = createCandidate({
      client: server.clientOf(clock, () => journey),
      ...{ namespace: 'ops', name: 'lock', identity, leaseDuration: 15_000, clock },
      now: () => new Date(clock.now()),
      logger: pino({ level: 'silent' }),
      ...('restored' in recorded ? { annotations } : {}),
      onRestored: () => notices.push(identity),
    });
    /** Lets a second pass, in which the requests arrive. */
    const during = async <T>(answer: Promise<T>): Promise<T> => {
      await clock.advance(1_000);
      return answer;
    };
    return {
      take: () => during(take(signal)),
      ask: () => during(askLedAgain(signal)),
      begin: () => take(signal),
      release: () => during(release()),
    };
  };
  const a = candidateOf('a');
  const b = candidateOf('b');
  await a.take();
  await b.take();
  return {
    clock,
    server,
    a,
    b,
    candidateOf,
    /** Who was told that the data were restored, since it was last asked. */
    notices: () => notices.splice(0).join(' '),
    travel: (to: Partial<Journey>) => {
      journey = { ...journey, ...to };
    },
    restored: () => server.lease?.metadata.annotations?.[annotations.restored],
  };
}

test('lease is renewed, released and taken by the other -> nothing is restored', async () => {
  const { a, b, notices, restored } = await open();
  for (const each of [a, b, a, b]) {
    await each.take();
  }
  await a.release();
  await b.take();
  await b.take();
  await a.take();
  expect(notices()).toBe('');
  expect(restored()).toBeUndefined();
});

test('P8: lease has an older version -> whoever reads it learns it once, and the holder says so on the lease', async () => {
  const { server, a, b, notices, restored } = await open();
  const backup = server.save();
  await a.take();
  await b.take();
  server.load(backup);
  await b.take();
  expect(notices()).toBe('b');
  expect(restored()).toBeUndefined();
  await a.take();
  expect(notices()).toBe('a');
  expect(restored()).toBeDefined();
  await b.take();
  await a.take();
  await b.take();
  expect(notices()).toBe('');
});

test('P8: versions have passed all that a standby has seen when it reads the lease -> it learns it from the holder', async () => {
  const { clock, server, a, b, notices } = await open();
  const backup = server.save();
  await a.take();
  await b.take();
  for (let restore = 0; restore < 2; restore += 1) {
    server.load(backup);
    await clock.advance(30_000);
    await a.take();
    expect(notices()).toBe('a');
    server.passVersions(1_000);
    await a.take();
    await b.take();
    expect(notices()).toBe('b');
  }
});

test('P8: found when the lease is read before a deletion -> learned once', async () => {
  const { server, a, notices } = await open();
  const backup = server.save();
  await a.take();
  server.load(backup);
  await a.ask();
  expect(notices()).toBe('a');
  await a.take();
  expect(notices()).toBe('');
});

test('P8: version before the last write, which nobody has read yet -> restored', async () => {
  const { server, a, notices } = await open();
  await a.take();
  const backup = server.save();
  await a.take();
  server.load(backup);
  await a.take();
  expect(notices()).toBe('a');
});

test('a minute after a candidate has found it, the holder says so -> another restore', async () => {
  const { clock, server, a, b, notices } = await open();
  const backup = server.save();
  await a.take();
  await b.take();
  server.load(backup);
  await b.take();
  expect(notices()).toBe('b');
  await clock.advance(60_000);
  await a.take();
  await b.take();
  expect(notices()).toBe('a b');
});

test('lease is gone, or was made again -> might be restored, once', async () => {
  const { clock, server, a, b, notices } = await open();
  server.remove();
  await b.take();
  expect(notices()).toBe('b');
  await b.take();
  expect(notices()).toBe('');
  await a.take();
  await b.take();
  expect(notices()).toBe('a');
  server.remove();
  server.write({ holderIdentity: 'a', leaseDurationSeconds: 15 });
  await clock.advance(30_000);
  await b.take();
  expect(notices()).toBe('b');
});

test('lease is gone, which both candidates find, and one makes it again -> the other does not say so once more when it leads later', async () => {
  const { clock, server, a, b, restored, notices } = await open();
  server.remove();
  await b.take();
  await a.take();
  await b.take();
  const told = restored();
  expect(told).toBeDefined();
  await a.release();
  await clock.advance(120_000);
  await b.take();
  await a.take();
  expect(restored()).toBe(told);
  expect(notices()).toBe('b a');
});

test('backup is a few seconds old, and the leader goes on -> nothing is due for an hour, which the lease says', async () => {
  const { clock, server, a } = await open();
  expect(await a.ask()).toBeUndefined();
  const backup = server.save();
  await a.take();
  server.load(backup);
  const asked = clock.now();
  expect(await a.ask()).toBeGreaterThanOrEqual(asked);
  const again = await a.take();
  expect(again).toMatchObject({ kind: 'ours', ledAgain: expect.any(Number) });
  await a.take();
  expect(await a.ask()).toBe(again.kind === 'ours' ? again.ledAgain : undefined);
});

test('P8: restored, and admission takes annotations off the lease -> the hour does not begin anew with each renewal', async () => {
  const { server, a } = await open();
  server.stripAnnotations();
  const backup = server.save();
  await a.take();
  server.load(backup);
  expect(await a.ask()).toBeDefined();
  await a.take();
  expect(await a.ask()).toBeUndefined();
});

test('the first that a candidate sees says that it was restored before -> nothing new', async () => {
  const { server, candidateOf, notices } = await open();
  server.annotate({ [annotations.restored]: '2026-01-01T00:00:00Z' });
  const late = candidateOf('c');
  await late.take();
  await late.take();
  expect(notices()).toBe('');
});

test('somebody removes what the holder has said -> nothing new', async () => {
  const { server, a, b, notices } = await open();
  const backup = server.save();
  await a.take();
  server.load(backup);
  await a.take();
  await b.take();
  expect(notices()).toBe('a b');
  server.annotate({ other: 'x' });
  await b.take();
  expect(notices()).toBe('');
});

test('P8: found by the read before a deletion, while the lease is read to renew it -> learned once', async () => {
  const { clock, server, a, notices } = await open();
  const backup = server.save();
  await a.take();
  server.load(backup);
  const renewing = a.begin();
  await a.ask();
  await renewing;
  await clock.advance(0);
  expect(notices()).toBe('a');
});

test('P8: the same where it is gone -> learned once', async () => {
  const { server, a, notices } = await open();
  server.remove();
  const renewing = a.begin();
  await a.ask();
  await renewing;
  expect(notices()).toBe('a');
});

test('answer to a renewal comes after the next renewal, and a backup from between is restored -> noticed', async () => {
  const { clock, server, a, notices, travel } = await open();
  travel({ back: 2_500 });
  const slow = a.begin();
  // It has read the lease, and its write is on its way back.
  await clock.advance(2_500);
  travel({ back: 0 });
  const between = server.save();
  await a.take();
  await clock.advance(2_500);
  await slow;
  server.load(between);
  await a.take();
  expect(notices()).toBe('a');
});

test('P8: lease is renewed while it is read, and then restored before the read arrives -> noticed by that read', async () => {
  const { clock, server, a, notices, travel } = await open();
  const backup = server.save();
  await a.take();
  travel({ there: 2_500 });
  const slow = a.ask();
  travel({ there: 0 });
  await a.take();
  server.load(backup);
  await clock.advance(2_500);
  await slow;
  expect(notices()).toBe('a');
});

test('answer to a read comes after two renewals, and a backup from between is restored -> noticed', async () => {
  const { clock, server, a, notices, travel } = await open();
  travel({ back: 2_500 });
  const slow = a.ask();
  await clock.advance(0);
  travel({ back: 0 });
  await a.take();
  const between = server.save();
  await a.take();
  await clock.advance(2_500);
  await slow;
  server.load(between);
  await a.take();
  expect(notices()).toBe('a');
});

test('read that a later renewal overtakes -> nothing is restored', async () => {
  const { clock, a, notices, travel } = await open();
  travel({ back: 5_000 });
  const slow = a.begin();
  await clock.advance(0);
  travel({ back: 0 });
  await a.take();
  await a.take();
  await clock.advance(10_000);
  await slow;
  await a.take();
  expect(notices()).toBe('');
});

test('dry run, in which the lease is never stored -> not noticed', async () => {
  const { server, candidateOf, notices } = await open();
  const { take } = candidateOf('d', {});
  await take();
  server.remove();
  await take();
  expect(notices()).toBe('');
});

test('lease is deleted again and again -> told at once, and then every half a minute, of the last one too', async () => {
  const { clock, server, a, notices } = await open();
  const times: number[] = [];
  for (let second = 0; second < 100; second += 1) {
    if (second < 62) {
      server.remove();
    }
    await a.take();
    if (notices() !== '') {
      times.push(clock.now());
    }
  }
  expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 30_000, 60_000, 90_000]);
});

test('P8: restored again soon after a candidate has found the first, which only the holder notices -> told', async () => {
  const { clock, server, a, b, notices } = await open();
  const backup = server.save();
  await a.take();
  await b.take();
  server.load(backup);
  await b.take();
  await a.take();
  await b.take();
  expect(notices()).toBe('b a');
  await clock.advance(30_000);
  server.load(backup);
  await a.take();
  server.passVersions(1_000);
  await b.take();
  expect(notices()).toBe('a b');
});

test('P8: holder that has started since leads after a vacancy, and versions have passed what a standby has seen -> told', async () => {
  const { clock, server, a, b, candidateOf, notices, restored } = await open();
  await a.release();
  const backup = server.save();
  await b.take();
  await b.take();
  await a.take();
  await clock.advance(600_000);
  server.load(backup);
  const late = candidateOf('late');
  await late.take();
  server.passVersions(1_000);
  await late.take();
  await a.take();
  await a.take();
  expect(restored()).toBeUndefined();
  expect(notices()).toBe('a');
});

test('lease stays gone for a while, or two reads at once find that it is older -> told once, not again half a minute later', async () => {
  const { clock, server, a, b, notices } = await open();
  server.remove();
  await b.take();
  await b.take();
  expect(notices()).toBe('b');
  await clock.advance(40_000);
  await b.take();
  await b.take();
  expect(notices()).toBe('');
  await b.release();
  await a.take();
  await clock.advance(30_000);
  const backup = server.save();
  await a.take();
  notices();
  await clock.advance(30_000);
  server.load(backup);
  const reads = [a.begin(), a.begin()];
  await clock.advance(1_000);
  await Promise.all(reads);
  expect(notices()).toBe('a');
  await clock.advance(30_000);
  await a.take();
  expect(notices()).toBe('');
});

test('somebody takes the annotations off the lease -> nothing is restored', async () => {
  const { clock, server, a, b, notices } = await open();
  server.annotate({
    [annotations.restored]: '2026-01-01T00:00:00Z',
    [annotations.ledAgain]: '2026-01-01T00:00:00Z',
  });
  await a.take();
  await b.take();
  notices();
  server.annotate({});
  await clock.advance(30_000);
  await b.take();
  expect(notices()).toBe('');
});
