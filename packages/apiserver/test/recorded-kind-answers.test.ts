import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Recorded, replay } from './recorded/replay.ts';
import { readRecording } from './recorded/recording.ts';
import { scenarios } from './recorded/kind-requests.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: recorded/kind-answers.json, by
// recorded/record-kinds.ts.
const { recordedAt, answers } = readRecording('kind-answers.json');

const recorder = 'holdfast-admin';

/**
 * Without what the real server has no reason to say, and without annotations that it leaves out of metadata alone:
 * there it shows its own form of the object, which has fields for them.
 */
function comparable(given: Recorded | undefined): Partial<Recorded> {
  if (given === undefined) {
    return {};
  }
  const { warning = '', ...sent } = given;
  const isMetadata = /^GET:(table|metadata)/.test(sent.request);
  const answer = isMetadata ? withoutOwnAnnotations(sent) : sent;
  const rest = warning.split(', 299 - ').filter((text) => !text.includes('does not mutate by it'));
  return rest.join('') === '' ? answer : { ...answer, warning: rest.join(', 299 - ') };
}

const ofVersion = [
  'deprecated.daemonset.template.generation',
  'autoscaling.alpha.kubernetes.io/current-metrics',
];

function withoutOwnAnnotations(answer: Partial<Recorded>): Partial<Recorded> {
  const text = JSON.stringify(answer, (key, value: unknown) => {
    if (key !== 'annotations' || typeof value !== 'object' || value === null) {
      return value;
    }
    const rest = Object.entries(value).filter(([name]) => !ofVersion.includes(name));
    return rest.length === 0 ? undefined : Object.fromEntries(rest);
  });
  return JSON.parse(text) as Partial<Recorded>;
}

describe.each(Object.keys(scenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  const given: Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({
      tls: false,
      now: () => recordedAt,
      // Who recorded, whom some kinds name.
      users: [{ token: 'recorder', name: recorder, uid: recorder, groups: ['system:masters'] }],
    });
    const endpoint = { url: server.url, server, token: 'recorder' };
    for (const request of scenarios[scenario] ?? []) {
      given.push(await replay(request, endpoint, 'recorded-ns'));
    }
  });
  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(scenarios[scenario]);
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 150)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...comparable(given[index]) }).toEqual(expected[index]);
  });
});
