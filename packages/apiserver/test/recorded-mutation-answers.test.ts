import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { mutationScenarios } from './recorded/mutation-requests.ts';
import { mutatingKinds, replayWithPolicies } from './recorded/policy-replay.ts';
import { readRecording } from './recorded/recording.ts';
import type { Recorded } from './recorded/replay.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: recorded/mutation-answers.json, by
// recorded/record-mutations.ts.
const { recordedAt, answers } = readRecording('mutation-answers.json');

describe.each(Object.entries(mutationScenarios))(
  'as recorded from kube-apiserver: %s',
  (scenario, content) => {
    const expected = answers.filter((answer) => answer.scenario === scenario);
    let given: readonly Recorded[] = [];
    let server: ApiServer;

    beforeAll(async () => {
      server = await startApiServer({ tls: false, now: () => recordedAt });
      const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
      const endpoint = { url: server.url, server, token: users[0]?.user.token ?? '' };
      given = await replayWithPolicies(content, mutatingKinds, endpoint, 'recorded-ns', () =>
        Promise.resolve(),
      );
    });
    afterAll(() => server.stop());

    test('every request has a recorded answer', () => {
      expect(expected.map(({ request }) => request)).toEqual(content.requests);
    });

    test.each(
      expected.map(({ request, code }, index) => ({ name: `${request.slice(-110)} -> ${code}`, index })),
    )('$name', ({ index }) => {
      expect({ scenario, ...given[index] }).toEqual(expected[index]);
    });
  },
);
