import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTool } from './tool-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Port 1 of this machine: nothing listens there. */
const server = 'https://127.0.0.1:1';

const complaintOf = async (env: Readonly<Record<string, string>>, cluster: object = {}): Promise<string> => {
  const file = join(folder, 'kubeconfig');
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server, ...cluster } }],
    users: [{ name: 'a', user: {} }],
  };
  await writeFile(file, JSON.stringify(config));
  const none = { HTTPS_PROXY: '', https_proxy: '' };
  const tool = startTool(['explain', 'pvc', 'a', `--kubeconfig=${file}`], { ...none, ...env });
  tool.stdout.resume();
  const [complaint] = await Promise.all([text(tool.stderr), once(tool, 'close')]);
  return complaint;
};

const wayOut = /HTTPS_PROXY is set, and not used: kubectl config set clusters\.a\.proxy-url/;

test.each(['HTTPS_PROXY', 'https_proxy'])(
  'no connection, %s is set -> how a proxy is named',
  async (name) => {
    expect(await complaintOf({ [name]: 'http://127.0.0.1:1' })).toMatch(wayOut);
  },
  15_000,
);

test.each([
  ['no variable', {}, {}],
  ['the kubeconfig names a proxy', { HTTPS_PROXY: 'http://127.0.0.1:1' }, { 'proxy-url': server }],
])(
  'no connection, %s -> no word of HTTPS_PROXY',
  async (_, env, cluster) => {
    const complaint = await complaintOf(env, cluster);
    expect(complaint).toContain('ECONNREFUSED');
    expect(complaint).not.toContain('HTTPS_PROXY');
  },
  15_000,
);
