import { replay } from './replay.ts';
import { scenarios } from './odd-pod-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes odd-pod-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-odd-pods.ts https://127.0.0.1:6443 <token of an admin>
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
writeRecording('odd-pod-answers.json', { recordedAt, answers });
