import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { replayManagedFields } from './recorded/managed-fields-replay.ts';
import { managedFieldsScenarios } from './recorded/managed-fields-requests.ts';
import type { Recorded } from './recorded/replay.ts';
import { readRecording } from './recorded/recording.ts';

// The expectations are what kube-apiserver 1.36.3 answered: managed-fields-answers.json, by record-managed-fields.ts.
const { recordedAt, answers } = readRecording('managed-fields-answers.json');

describe.each(Object.keys(managedFieldsScenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  let given: readonly Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({
      tls: false,
      now: () => recordedAt,
      users: [{ token: 'admin', name: 'admin', groups: ['system:masters'] }],
    });
    const endpoint = { url: server.url, server, token: 'admin' };
    given = await replayManagedFields(managedFieldsScenarios[scenario] ?? [], endpoint, 'recorded-ns');
  }, 60_000);

  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(managedFieldsScenarios[scenario]);
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 150)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
