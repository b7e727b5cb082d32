import { setTimeout as pause } from 'node:timers/promises';
import { replay } from './replay.ts';
import { replayWithHooks } from './webhook-replay.ts';
import { webhookScenarios } from './webhook-requests.ts';
import { startWebhookServer } from './webhook-server.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes webhook-answers.json anew from a real kube-apiserver on this machine:
 *   node --conditions=@holdfast/source record-webhooks.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const endpoint = { url, token };
const hooks = await startWebhookServer();
const other = await startWebhookServer('stranger');
await other.stop();
// The way to a hook on loopback through a service.
await replay('POST /api/v1/namespaces {"metadata":{"name":"$NS"}}', endpoint, 'recorded');
await replay('DELETE /api/v1/namespaces/$NS/services/hooks', endpoint, 'recorded');
await replay(
  'POST /api/v1/namespaces/$NS/services {"metadata":{"name":"hooks"},"spec":{"type":"ExternalName","externalName":"localhost"}}',
  endpoint,
  'recorded',
);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, requests] of Object.entries(webhookScenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  // The server learns of configurations by a watch, whose progress shows nowhere.
  const replayed = await replayWithHooks(requests, endpoint, namespace, hooks, other.certificate, () =>
    pause(2000),
  );
  for (const answer of replayed) {
    answers.push({ scenario, ...answer });
  }
}
await hooks.stop();
writeRecording('webhook-answers.json', { recordedAt, answers });
