import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { createFakeClock } from '../src/fake-clock.ts';
import { type RecordedWithHooks, replayWithHooks } from './recorded/webhook-replay.ts';
import { webhookScenarios } from './recorded/webhook-requests.ts';
import { type WebhookServer, startWebhookServer } from './recorded/webhook-server.ts';
import { readRecording } from './recorded/recording.ts';

// The expectations are what kube-apiserver 1.36.3 answered, and what it sent to hooks: webhook-answers.json.
const { recordedAt, answers } = readRecording<RecordedWithHooks>('webhook-answers.json');

const lines = (scenario: string): readonly string[] => webhookScenarios[scenario] ?? [];
const isRequest = (line: string): boolean => !/^(MUTATING|VALIDATING) /.test(line);

describe.each(Object.keys(webhookScenarios))('as recorded from kube-apiserver: %s', (scenario) => {
  const expected = answers.filter((answer) => answer.scenario === scenario);
  let given: readonly RecordedWithHooks[] = [];
  let server: ApiServer;
  let hooks: WebhookServer;

  beforeAll(async () => {
    const clock = createFakeClock();
    hooks = await startWebhookServer('hooks', () => void clock.advance(1_000));
    const other = await startWebhookServer('stranger');
    await other.stop();
    server = await startApiServer({
      tls: false,
      now: () => recordedAt,
      after: clock.after,
      users: [{ token: 'admin', name: 'holdfast-admin', uid: 'holdfast-admin', groups: ['system:masters'] }],
      services: { 'recorded/hooks': `localhost:${hooks.port}` },
    });
    const endpoint = { url: server.url, token: 'admin' };
    given = await replayWithHooks(lines(scenario), endpoint, 'recorded-ns', hooks, other.certificate, () =>
      Promise.resolve(),
    );
  }, 60_000);

  afterAll(async () => {
    await server.stop();
    await hooks.stop();
  });

  test('every request has a recorded answer', () => {
    expect(expected.map(({ request }) => request)).toEqual(lines(scenario).filter(isRequest));
  });

  test.each(
    expected.map(({ request, code }, index) => ({ name: `${request.slice(0, 150)} -> ${code}`, index })),
  )('$name', ({ index }) => {
    expect({ scenario, ...given[index] }).toEqual(expected[index]);
  });
});
