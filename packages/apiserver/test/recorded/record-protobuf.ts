import { writeFileSync } from 'node:fs';
import { builtInResources } from '../../src/resources/registry.ts';
import { apiVersionOf } from '../../src/resources/resource-definition.ts';
import { protobuf } from '../../src/http/negotiation.ts';
import { scenarios, stories } from './kind-requests.ts';
import { replay } from './replay.ts';

/*
 * Writes protobuf-answers.json anew from a real kube-apiserver: what the requests of kind-requests.ts have made of each
 * kind, in protobuf and in JSON.
 *   node --conditions=@holdfast/source record-protobuf.ts https://127.0.0.1:6443 <token of an admin>
 * It needs RBAC or AlwaysAllow, and the ServiceAccount admission plugin off.
 */

const [url = '', token = ''] = process.argv.slice(2);
const lines: string[] = [];
for (const [title, { collection, name = 'a' }] of Object.entries(stories)) {
  const namespace = `recorded-${Date.now().toString(36)}`;
  const object = `${collection}/${name}`.replaceAll('$NS', namespace);
  for (const request of scenarios[title] ?? []) {
    if (request.startsWith('DELETE')) {
      break;
    }
    await replay(request, { url, token }, namespace);
  }
  const [text, bytes] = [await get(object, 'application/json'), await get(object, protobuf)];
  const json = JSON.parse(text.toString()) as { readonly kind: string; readonly apiVersion: string };
  const definition = builtInResources.find(
    (each) => each.kind === json.kind && apiVersionOf(each) === json.apiVersion,
  );
  if (definition !== undefined) {
    lines.push(JSON.stringify({ struct: definition.struct, protobuf: bytes.toString('base64'), json }));
  }
}
writeFileSync(new URL('protobuf-answers.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);

async function get(path: string, accept: string): Promise<Buffer> {
  const answer = await fetch(url + path, { headers: { accept, authorization: `Bearer ${token}` } });
  return Buffer.from(await answer.arrayBuffer());
}
