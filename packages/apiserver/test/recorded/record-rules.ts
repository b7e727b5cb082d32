import { replay } from './replay.ts';
import { scenarios } from './rule-requests.ts';
import { type Recording, writeRecording } from './recording.ts';

/*
 * Writes rule-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-rules.ts https://127.0.0.1:6443 <token of an admin>
 */

const [url = '', token = ''] = process.argv.slice(2);
const recordedAt = Date.now();
const answers: Recording['answers'][number][] = [];
for (const [scenario, requests] of Object.entries(scenarios)) {
  for (const request of requests) {
    const recorded = await replay(request, { url, token }, 'default');
    answers.push({ scenario, ...recorded });
    const served = /"plural":"(things|tables|about\d+s)"/.exec(request)?.[1];
    for (let tries = 0; served !== undefined && recorded.code === 201 && tries < 100; tries++) {
      const { code } = await replay(`GET /apis/rules.example.com/v1/${served}`, { url, token }, 'default');
      if (code === 200) {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
writeRecording('rule-answers.json', { recordedAt, answers });
