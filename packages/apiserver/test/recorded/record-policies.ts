import { setTimeout as pause } from 'node:timers/promises';
import { replayWithPolicies, validatingKinds } from './policy-replay.ts';
import { policyScenarios } from './policy-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes policy-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-policies.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, the ServiceAccount admission plugin off, and a server that had no such policies before:
 * once the last policy with params of a kind is gone, it does not follow the objects of that kind any more.
 */

const [url = '', token = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, content] of Object.entries(policyScenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  // The server compiles what it has learned of by a watch once in a second, which shows nowhere.
  const replayed = await replayWithPolicies(content, validatingKinds, { url, token }, namespace, () =>
    pause(4000),
  );
  for (const answer of replayed) {
    answers.push({ scenario, ...answer });
  }
}
writeRecording('policy-answers.json', { recordedAt, answers });
