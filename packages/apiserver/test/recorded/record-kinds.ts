import { replay } from './replay.ts';
import { scenarios } from './kind-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes kind-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-kinds.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, requests] of Object.entries(scenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  for (const request of requests) {
    const recorded = await replay(request, { url, token }, namespace);
    answers.push({ scenario, ...recorded });
  }
}
writeRecording('kind-answers.json', { recordedAt, answers });
