import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiServer } from '../../src/apiserver/server.ts';
import { startApiServer } from '../../src/apiserver/server.ts';
import { knownUsers, replayAuth } from './recorded/auth-replay.ts';
import { authScenarios } from './recorded/auth-requests.ts';
import type { Recorded } from './recorded/replay.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: auth-answers.json, by record-auth.ts.
const answers = JSON.parse(
  readFileSync(new URL('recorded/auth-answers.json', import.meta.url), 'utf8'),
) as readonly (Recorded & { readonly scenario: string })[];

describe.each(Object.keys(authScenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  let given: readonly Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ tls: false, users: knownUsers });
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
