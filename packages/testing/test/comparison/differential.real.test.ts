import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { startEmbeddedControlPlane } from '../../src/embedded-control-plane.ts';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { startRealControlPlane } from '../../src/real/real-control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { drawn } from './drawn.ts';
import { play } from './play-requests.ts';
import { promised } from './promised.ts';
import { type Sequence, randomSequences } from './random-requests.ts';
import { wholeNumber } from './whole-number.ts';
import type { Endpoint } from '../../../apiserver/test/recorded/replay.ts';

/*
 * Random sequences of requests, sent to the embedded API server and to a real one: the answers, what watches showed,
 * and what is there at the end must be the same. A failure shrinks to the shortest sequence. The title shows the seed.
 * The long run:
 *   HOLDFAST_DIFFERENTIAL_RUNS=2000 npm run test:real -- differential
 */

const runs = wholeNumber('HOLDFAST_DIFFERENTIAL_RUNS', 150);
const length = wholeNumber('HOLDFAST_DIFFERENTIAL_LENGTH', 30);
const seed = wholeNumber('HOLDFAST_DIFFERENTIAL_SEED', randomInt(2 ** 31));

/**
 * Sequences that are played at a time: the real server takes two seconds until it serves a custom kind, with nothing to
 * do.
 */
const lanes = 4;

/** Who the real plane's cluster admin is, since some kinds keep who has created them. */
const sender = {
  token: 'sender',
  name: 'holdfast-admin',
  uid: 'holdfast-admin',
  groups: ['system:masters'],
};

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const block = missing === undefined ? describe : describe.skip;
const title = `embedded and real API server, ${runs} sequences of up to ${length} requests, seed ${seed}`;

block(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
  let planes: readonly [ControlPlane, ControlPlane];
  beforeAll(async () => {
    planes = await Promise.all([
      startRealControlPlane({ release: '1.36' }),
      startEmbeddedControlPlane({ users: [sender] }),
    ]);
  }, 90_000);
  afterAll(() => Promise.all(planes.map((plane) => plane.stop())));

  test(
    'the same requests -> the same answers, events and objects',
    async () => {
      let count = 0;
      const compare = async (sequence: Sequence): Promise<void> => {
        const namespace = `run-${seed}-${count++}`;
        const [real, embedded] = await Promise.all([
          play(sequence, endpointOf(planes[0]), namespace),
          play(sequence, { url: planes[1].url, token: sender.token }, namespace),
        ]);
        const [own, other] = promised(embedded, real);
        expect(own).toEqual(other);
      };
      const sequences = drawn(randomSequences(length), { seed, numRuns: runs });
      const failure = await firstFailure(sequences, compare);
      if (failure !== undefined) {
        const property = fc.asyncProperty(randomSequences(length), compare);
        await fc.assert(property, { seed, path: String(failure.index), numRuns: 1, endOnFailure: false });
        // Alone it passes: what it was refused for depends on the sequences beside it.
        throw failure.error;
      }
    },
    // A request takes some 10 ms; shrinking a failure repeats a sequence some dozens of times.
    120_000 + runs * length * 100,
  );
});

interface Failure {
  /** Of the sequence. */
  readonly index: number;
  readonly error: unknown;
}

/** Plays a few sequences at a time. After a failure none is begun. */
async function firstFailure(
  sequences: readonly Sequence[],
  compare: (sequence: Sequence) => Promise<void>,
): Promise<Failure | undefined> {
  const failures: Failure[] = [];
  const queue = sequences.entries();
  const lane = async (): Promise<void> => {
    for (const [index, sequence] of queue) {
      try {
        await compare(sequence);
      } catch (error) {
        failures.push({ index, error });
      }
      if (failures.length > 0) {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failures[0];
}

function endpointOf(plane: ControlPlane): Endpoint {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  return { url: plane.url, token: users[0].user.token };
}
