import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { controlPlaneMissing, startControlPlane } from '../../src/control-plane.ts';
import type { ControlPlane } from '../../src/control-plane.ts';
import { randomRequests } from './random-requests.ts';
import { sortManagers } from './recorded/managed-fields-replay.ts';
import type { Endpoint } from './recorded/replay.ts';
import { normalise, replay } from './recorded/replay.ts';

/*
 * Random sequences of requests, sent to the embedded API server and to a real one: the answers, what watches showed, and
 * what is there at the end must be the same. A failure shrinks to the shortest sequence. The long run:
 *   HOLDFAST_DIFFERENTIAL_RUNS=2000 HOLDFAST_DIFFERENTIAL_LENGTH=30 HOLDFAST_DIFFERENTIAL_SEED=$RANDOM npm run test:real -- differential
 */

const env = (name: string, usual: number): number =>
  Number(process.env[`HOLDFAST_DIFFERENTIAL_${name}`] ?? usual);
const runs = env('RUNS', 60);
const length = env('LENGTH', 8);
const seed = env('SEED', 1);

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
    60_000 + runs * length * 1000,
  );
});

function endpointOf(plane: ControlPlane): Endpoint {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  return { url: plane.url, token: users[0].user.token };
}

/** Each with an object that is made last of all, so that a watch which shows it has shown everything. */
const collections = {
  $CONFIGMAPS: {},
  $CLAIMS: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  $SETS: {
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  },
};
const last = 'last-of-all';

/** All that a client can see of a run. */
async function play(requests: readonly string[], endpoint: Endpoint, namespace: string): Promise<object> {
  const ask = async (line: string, isEnough = (_text: string): boolean => false): Promise<unknown> => {
    let text = '';
    const read = (whole: string): string => (text = whole);
    const { code, warning } = await replay(line, endpoint, namespace, read, '', isEnough);
    return { line, code, warning, body: comparable(parse(text), namespace) };
  };
  let version = '';
  const line = 'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}';
  await replay(line, endpoint, namespace, (text) => {
    version = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  });
  const answers: unknown[] = [];
  for (const request of requests) answers.push(await ask(request));
  const ends = await Promise.all(
    Object.entries(collections).map(async ([path, more]) => {
      const made = await ask(`POST ${path} ${JSON.stringify({ metadata: { name: last }, ...more })}`);
      const objects = await ask(`GET ${path}`);
      // History is whole, so the events can be asked for when they are all there.
      const events = await ask(
        `GET ${path}?watch=1&timeoutSeconds=30&resourceVersion=${version}`,
        (text) => text.endsWith('\n') && text.includes(`"name":"${last}"`),
      );
      return { made, objects, events: withoutLine(events) };
    }),
  );
  return { answers, ends };
}

/** The version that a watch began at is each server's own. */
function withoutLine(answer: unknown): unknown {
  return { ...(answer as object), line: '' };
}

function parse(text: string): unknown {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length > 1 && lines.every((line) => line.startsWith('{'))
    ? lines.map((line): unknown => JSON.parse(line))
    : JSON.parse(text === '' ? 'null' : text);
}

function comparable(value: unknown, namespace: string): unknown {
  return withoutRepeatedCauses(sortManagers(normalise(value, namespace, new Set(['description']))));
}

/** The embedded server knowingly differs in how often one cause is repeated. */
function withoutRepeatedCauses(value: unknown): unknown {
  const { details } = (value ?? {}) as { details?: { causes?: readonly unknown[] } };
  if (details?.causes === undefined) return value;
  const causes = [...new Set(details.causes.map((cause) => JSON.stringify(cause)))];
  return { ...(value as object), details: { ...details, causes } };
}
