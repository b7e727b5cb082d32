import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { knownUsers, replayAuth } from './recorded/auth-replay.ts';
import { authScenarios } from './recorded/auth-requests.ts';
import type { Recorded } from './recorded/replay.ts';
import { readRecording } from './recorded/recording.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: auth-answers.json, by record-auth.ts.
const { recordedAt, answers } = readRecording('auth-answers.json');

describe.each(Object.keys(authScenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  let given: readonly Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ tls: false, users: knownUsers, now: () => recordedAt });
    given = await replayAuth(authScenarios[scenario] ?? [], server.url, 'recorded-ns');
  }, 60_000);

  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(authScenarios[scenario]);
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 150)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
