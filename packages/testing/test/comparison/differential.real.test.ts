import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { controlPlaneMissing, startControlPlane } from '../../src/start-control-plane.ts';
import { play } from './play-requests.ts';
import { randomRequests } from './random-requests.ts';
import type { Endpoint } from '../../../apiserver/test/recorded/replay.ts';

/*
 * Random sequences of requests, sent to the embedded API server and to a real one: the answers, what watches showed, and
 * what is there at the end must be the same. A failure shrinks to the shortest sequence. Each run has a new seed, which the title
 * shows; HOLDFAST_DIFFERENTIAL_SEED plays one again. The long run:
 *   HOLDFAST_DIFFERENTIAL_RUNS=2000 npm run test:real -- differential
 */

const env = (name: string, usual: number): number =>
  Number(process.env[`HOLDFAST_DIFFERENTIAL_${name}`] ?? usual);
const runs = env('RUNS', 200);
const length = env('LENGTH', 30);
const seed = env('SEED', randomInt(2 ** 31));

const missing = controlPlaneMissing({ backend: 'real', release: '1.36' });
const block = missing === undefined ? describe : describe.skip;
const title = `embedded and real API server, ${runs} sequences of up to ${length} requests, seed ${seed}`;

block(missing === undefined ? title : `${title} (skipped: ${missing})`, () => {
  let planes: readonly ControlPlane[] = [];
  beforeAll(async () => {
    planes = await Promise.all([
      startControlPlane({ backend: 'real', release: '1.36' }),
      startControlPlane({ backend: 'embedded' }),
    ]);
  }, 90_000);
  afterAll(() => Promise.all(planes.map((plane) => plane.stop())));

  test(
    'the same requests -> the same answers, events and objects',
    async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(randomRequests(length), async (requests) => {
          const namespace = `run-${seed}-${count++}`;
          const [real, embedded] = await Promise.all(
            planes.map((plane) => play(requests, endpointOf(plane), namespace)),
          );
          expect(embedded).toEqual(real);
        }),
        { numRuns: runs, seed, endOnFailure: false },
      );
    },
    // A request takes some 10 ms; shrinking a failure repeats a sequence some dozens of times.
    120_000 + runs * length * 100,
  );
});

function endpointOf(plane: ControlPlane): Endpoint {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  return { url: plane.url, token: users[0].user.token };
}
