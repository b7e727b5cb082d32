import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unusedProxy } from '../src/cluster/unused-proxy.ts';
import { startTool } from './tool-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
});
afterAll(() => rm(folder, { recursive: true }));

const wayOut = /HTTPS_PROXY is set, and not used: kubectl config set clusters\.a\.proxy-url/;
const proxy = 'http://127.0.0.1:1';

test.each(['HTTPS_PROXY', 'https_proxy'])('%s is set -> how a proxy is named', (name) => {
  expect(unusedProxy({ name: 'a' }, { [name]: proxy })).toMatch(wayOut);
});

test.each([
  ['no variable', { name: 'a' }, {}],
  ['an empty variable', { name: 'a' }, { HTTPS_PROXY: '', https_proxy: '' }],
  ['the kubeconfig names a proxy', { name: 'a', proxyUrl: proxy }, { HTTPS_PROXY: proxy }],
  ['no cluster', null, { HTTPS_PROXY: proxy }],
])('%s -> no word of HTTPS_PROXY', (_, cluster, env) => {
  expect(unusedProxy(cluster, env)).toBeUndefined();
});

test.each([
  ['HTTPS_PROXY is set -> how a proxy is named', proxy, wayOut],
  ['no variable -> no word of HTTPS_PROXY', '', /^(?!.*HTTPS_PROXY).*ECONNREFUSED/],
])(
  'no connection, %s',
  async (_, HTTPS_PROXY, expected) => {
    const file = join(folder, 'kubeconfig');
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      // Nothing listens at port 1 of this machine.
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'a', user: {} }],
    };
    await writeFile(file, JSON.stringify(config));
    const tool = startTool(['explain', 'pvc', 'a', `--kubeconfig=${file}`], { HTTPS_PROXY, https_proxy: '' });
    tool.stdout.resume();
    const [complaint] = await Promise.all([text(tool.stderr), once(tool, 'close')]);
    expect(complaint).toMatch(expected);
  },
  15_000,
);
