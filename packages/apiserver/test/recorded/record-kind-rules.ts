import { requestsOf } from './kind-rules/rule-story.ts';
import { ruleStories } from './kind-rules/rule-stories.ts';
import { type Recording, writeRecording } from './recording.ts';
import { replay } from './replay.ts';

/*
 * Writes kind-rule-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-kind-rules.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, story] of Object.entries(ruleStories)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  for (const request of requestsOf(story)) {
    const recorded = await replay(request, { url, token }, namespace);
    answers.push({ scenario, ...recorded });
  }
}
writeRecording('kind-rule-answers.json', { recordedAt, answers });
