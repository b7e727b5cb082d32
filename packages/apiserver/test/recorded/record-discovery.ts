import { request } from 'node:https';
import { writeFileSync } from 'node:fs';

/*
 * Writes discovery.json anew from a real kube-apiserver:
 *   node --conditions=@holdfast/source record-discovery.ts https://127.0.0.1:6443 <token of an admin>
 */

interface Listed {
  readonly preferredVersion: { readonly groupVersion: string };
  readonly versions: readonly { readonly groupVersion: string }[];
}

const [url = '', token = ''] = process.argv.slice(2);

async function get(path: string): Promise<unknown> {
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    // A server on the loopback interface, with a certificate nobody signed.
    request(url + path, { headers, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve(body));
    })
      .on('error', reject)
      .end();
  });
  return JSON.parse(text);
}

const groups = (await get('/apis')) as { readonly groups: readonly Listed[] };
const paths = groups.groups.flatMap(({ versions }) =>
  versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
);
const answers: [path: string, answer: unknown][] = [['/apis', groups]];
for (const path of ['/api/v1', ...paths]) {
  answers.push([path, await get(path)]);
}
const lines = answers.map((answer) => JSON.stringify(answer)).join(',\n');
writeFileSync(new URL('discovery.json', import.meta.url), `[\n${lines}\n]\n`);
