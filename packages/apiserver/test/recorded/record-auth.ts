import { replayAuth } from './auth-replay.ts';
import { authScenarios } from './auth-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes auth-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-auth.ts https://127.0.0.1:6443
 * It needs --authorization-mode=RBAC, a --token-auth-file with the users of auth-replay.ts, the issuer
 * https://kubernetes.default.svc.cluster.local, and the ServiceAccount admission plugin off; a server started anew,
 * as it remembers for a while how each user impersonated last.
 */

const [url = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, requests] of Object.entries(authScenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  for (const recorded of await replayAuth(requests, url, namespace)) {
    answers.push({ scenario, ...recorded });
  }
}
writeRecording('auth-answers.json', { recordedAt, answers });
