import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { readRecording } from './recorded/recording.ts';
import { type Recorded, replay } from './recorded/replay.ts';
import { requestsOf } from './recorded/kind-rules/rule-story.ts';
import { ruleStories } from './recorded/kind-rules/rule-stories.ts';

// The expectations are what kube-apiserver 1.36.3 answered to the same requests: recorded/kind-rule-answers.json, by
// recorded/record-kind-rules.ts.
const { recordedAt, answers } = readRecording('kind-rule-answers.json');

const recorder = 'holdfast-admin';

describe.each(Object.entries(ruleStories))('rules as recorded from kube-apiserver: %s', (scenario, story) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  const given: Recorded[] = [];
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({
      tls: false,
      now: () => recordedAt,
      users: [{ token: 'recorder', name: recorder, uid: recorder, groups: ['system:masters'] }],
    });
    for (const request of requestsOf(story)) {
      given.push(await replay(request, { url: server.url, server, token: 'recorder' }, 'recorded-ns'));
    }
  });
  afterAll(() => server.stop());

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(requestsOf(story));
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 400)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
