import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { useExistingCluster } from '../../src/existing-cluster.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: work
clusters:
- name: work
  cluster: { server: "https://work.example:6443", certificate-authority: ca.crt }
- name: other
  cluster: { server: "https://other.example" }
users:
- name: me
  user:
    tokenFile: secrets/token
    as: somebody
    as-groups: [devs]
contexts:
- name: work
  context: { cluster: work, user: me, namespace: mine }
- name: other
  context: { cluster: other, user: me }
`;

async function file(content: string, name = 'config'): Promise<string> {
  const path = join(await newFolder(), name);
  await writeFile(path, content);
  return path;
}

describe('useExistingCluster', () => {
  test.each([{}, { USE_EXISTING_CLUSTER: 'false' }, { USE_EXISTING_CLUSTER: '1' }])(
    '%j -> refused, says how to allow it',
    async (env) => {
      const using = useExistingCluster({ ...env, KUBECONFIG: await file(kubeconfig) });
      await expect(using).rejects.toThrow('USE_EXISTING_CLUSTER=true');
    },
  );

  test('allowed -> server of the current context, the kubeconfig with absolute paths and all else as it is', async () => {
    const path = await file(kubeconfig);
    const cluster = await useExistingCluster({ USE_EXISTING_CLUSTER: 'true', KUBECONFIG: path });
    expect(cluster.backend).toBe('existing');
    expect(cluster.url).toBe('https://work.example:6443');
    expect(JSON.parse(cluster.kubeconfig)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'work',
      clusters: [
        {
          name: 'work',
          cluster: {
            server: 'https://work.example:6443',
            'certificate-authority': join(path, '..', 'ca.crt'),
          },
        },
        { name: 'other', cluster: { server: 'https://other.example' } },
      ],
      users: [
        {
          name: 'me',
          user: { tokenFile: join(path, '..', 'secrets/token'), as: 'somebody', 'as-groups': ['devs'] },
        },
      ],
      contexts: [
        { name: 'work', context: { cluster: 'work', user: 'me', namespace: 'mine' } },
        { name: 'other', context: { cluster: 'other', user: 'me' } },
      ],
    });
    await cluster.stop();
  });

  test('KUBECONFIG not set -> ~/.kube/config', async () => {
    const home = await newFolder();
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), kubeconfig);
    const cluster = await useExistingCluster({ USE_EXISTING_CLUSTER: 'true', HOME: home });
    expect(cluster.url).toBe('https://work.example:6443');
  });

  test('KUBECONFIG lists several -> the first to name a thing wins, the first current-context too', async () => {
    const first = await file('users: [{ name: me, user: { token: first } }]', 'first');
    const second = await file('current-context: other\nclusters: []', 'second');
    const third = await file(kubeconfig, 'third');
    const cluster = await useExistingCluster({
      USE_EXISTING_CLUSTER: 'true',
      KUBECONFIG: [first, '', second, third].join(delimiter),
    });
    expect(cluster.url).toBe('https://other.example');
    expect(JSON.parse(cluster.kubeconfig)).toMatchObject({
      'current-context': 'other',
      users: [{ name: 'me', user: { token: 'first' } }],
    });
  });

  test.each([
    { content: '', says: 'is no kubeconfig' },
    { content: 'a: [', says: 'is no kubeconfig' },
    { content: 'text', says: 'is no kubeconfig: it holds no map' },
    { content: 'clusters: []', says: 'no current-context' },
    { content: 'current-context: gone', says: 'the current context "gone"' },
  ])('kubeconfig "$content" -> $says', async ({ content, says }) => {
    const using = useExistingCluster({ USE_EXISTING_CLUSTER: 'true', KUBECONFIG: await file(content) });
    await expect(using).rejects.toThrow(says);
  });

  test('no such file -> names it', async () => {
    const using = useExistingCluster({ USE_EXISTING_CLUSTER: 'true', KUBECONFIG: '/nowhere/config' });
    await expect(using).rejects.toThrow('/nowhere/config');
  });
});
