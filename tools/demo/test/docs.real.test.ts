import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findTool } from '@holdfast/control-plane';
import { describeUnless } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  findBinaries,
  startRealControlPlane,
  type RealControlPlane,
} from '@holdfast/testing';
import { blocksOf } from './markdown.ts';

/*
 * The commands of docs/, as an administrator would run them who reads from the first page to the last: each must
 * succeed. Left out are those that need nodes, a registry or names of the reader's own, in blocks marked `shell`.
 */

const missing = controlPlaneMissing({
  backend: 'real',
  release: '1.36',
  controllers: ['namespace-controller'],
});
const root = fileURLToPath(new URL('../../..', import.meta.url));
const helm = findTool('helm');
const pages = [
  // First: it takes away all that it has installed.
  ...(helm.found ? ['docs/helm.md'] : []),
  ...['install', 'upgrade', 'availability', 'network', 'monitoring', 'policies'].map(
    (name) => `docs/${name}.md`,
  ),
  ...globSync('docs/runbooks/*.md', { cwd: root }).toSorted(),
  'docs/leave.md',
];
const commands = pages.flatMap((page) =>
  blocksOf(join(root, page))
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => [page, text] as const),
);

describeUnless(missing, 'commands of docs/ on kube-apiserver', () => {
  let plane: RealControlPlane;
  let folder: string;

  beforeAll(async () => {
    plane = await startRealControlPlane({ release: '1.36', controllers: ['namespace-controller'] });
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-docs-')));
    await symlink(join(root, 'deploy'), join(folder, 'deploy'));
  }, 90_000);

  afterAll(async () => {
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  if (!helm.found) {
    test.skip(`docs/helm.md: ${helm.reason}`, () => undefined);
  }

  test.each(commands)(
    '%s: %s',
    async (_, text) => {
      const found = findBinaries({ release: '1.36', needed: ['kubectl'] });
      const run = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: [
            found.found ? found.folder : '',
            helm.found ? dirname(helm.path) : '',
            process.env['PATH'] ?? '',
          ].join(delimiter),
          KUBECONFIG: plane.kubeconfigFile,
          KUBERC: 'off',
          HOME: folder,
        },
      });
      await expect(run).resolves.toBeDefined();
    },
    60_000,
  );

  test('after the last page -> nothing of Holdfast is left in the cluster but what was not taken away', async () => {
    const { stdout } = await plane.kubectl([
      ...[
        'get',
        'clusterroles,clusterrolebindings,priorityclasses,mutatingwebhookconfigurations,validatingwebhookconfigurations',
      ],
      '--output=name',
    ]);
    const left = stdout.split('\n').filter((line) => line.includes('holdfast-pvc-protection'));
    expect(left).toStrictEqual([]);
  });
});
