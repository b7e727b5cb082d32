import { replayManagedFields } from './managed-fields-replay.ts';
import { managedFieldsScenarios } from './managed-fields-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes managed-fields-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-managed-fields.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, requests] of Object.entries(managedFieldsScenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  for (const answer of await replayManagedFields(requests, { url, token }, namespace)) {
    answers.push({ scenario, ...answer });
  }
}
writeRecording('managed-fields-answers.json', { recordedAt, answers });
