import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Recorded, replay } from './recorded/replay.ts';
import { readRecording } from './recorded/recording.ts';
import { scenarios } from './recorded/rule-requests.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: recorded/rule-answers.json, by
// recorded/record-rules.ts.
const { recordedAt, answers } = readRecording('rule-answers.json');

describe.each(Object.keys(scenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  const given: Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ tls: false, now: () => recordedAt });
    const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
    const endpoint = { url: server.url, server, token: users[0]?.user.token ?? '' };
    for (const request of scenarios[scenario] ?? []) {
      given.push(await replay(request, endpoint, 'default'));
    }
  });
  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(scenarios[scenario]);
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(-110)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
