import { writeFileSync } from 'node:fs';
import { replayManagedFields } from './managed-fields-replay.ts';
import { managedFieldsScenarios } from './managed-fields-requests.ts';

/*
 * Writes managed-fields-answers.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-managed-fields.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const lines: string[] = [];
for (const [scenario, requests] of Object.entries(managedFieldsScenarios)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  for (const answer of await replayManagedFields(requests, { url, token }, namespace)) {
    lines.push(JSON.stringify({ scenario, ...answer }));
  }
}
writeFileSync(new URL('managed-fields-answers.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
