import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { leapingTimers } from './recorded/leaping-timers.ts';
import { type Recorded, replay } from './recorded/replay.ts';
import { scenarios } from './recorded/requests.ts';
import { readRecording } from './recorded/recording.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: recorded/answers.json, by
// recorded/record.ts.
const { recordedAt, answers } = readRecording('answers.json');

describe.each(Object.keys(scenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  const given: Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ tls: false, now: () => recordedAt, after: leapingTimers() });
    const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
    const endpoint = { url: server.url, token: users[0]?.user.token ?? '' };
    for (const request of scenarios[scenario] ?? []) {
      given.push(await replay(request, endpoint, 'recorded-ns'));
    }
  }, 60_000);

  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(scenarios[scenario]);
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 150)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
