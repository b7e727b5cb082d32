import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readManifest, type Manifest, type Repository } from '../src/manifest.ts';
import { repositoryOf, whyNotPublished } from '../src/repository.ts';

const root = join(import.meta.dirname, '../../..');
const here: Repository = { type: 'git', url: 'git+https://git.example.com/holdfast.git' };
const rootWith = (repository?: Repository): Manifest => ({
  ...{ name: 'holdfast', version: '0.1.0', private: true },
  ...(repository === undefined ? {} : { repository }),
});
const packageWith = (repository?: Repository): Manifest => ({
  ...{ name: '@holdfast/a', version: '0.1.0' },
  ...(repository === undefined ? {} : { repository }),
});

test.each<readonly [state: string, root: Manifest, own: Manifest, reason: RegExp | undefined]>([
  ['the root names no repository', rootWith(), packageWith(), /root has no "repository"/],
  ['the root names none, the package does', rootWith(), packageWith(here), /root has no "repository"/],
  [
    'the package names none',
    rootWith(here),
    packageWith(),
    /its "repository" is not set, and would be .*"packages\/a"/,
  ],
  ['the package names no folder', rootWith(here), packageWith(here), /would be .*"packages\/a"/],
  [
    'the package names another place',
    rootWith(here),
    packageWith({ ...repositoryOf(here, 'packages/a'), url: 'git+https://git.example.org/other.git' }),
    /example\.org.* would be .*example\.com/,
  ],
  [
    'the package names the place and its folder',
    rootWith(here),
    packageWith(repositoryOf(here, 'packages/a')),
    undefined,
  ],
])('%s -> %#: refused but where all agree', (_, ofRoot, own, reason) => {
  const said = whyNotPublished(ofRoot, own, 'packages/a');
  expect(said === undefined ? undefined : reason?.test(said)).toBe(reason === undefined ? undefined : true);
});

test.each(globSync('{packages,apps}/*', { cwd: root }).toSorted())(
  '%s -> is published, and only with the check',
  (folder) => {
    const { scripts, ...manifest } = readManifest(join(root, folder));
    expect(manifest.private).toBeUndefined();
    expect(scripts?.['prepublishOnly']).toBe('node ../../tools/release/src/check-publish.ts');
    const { repository } = readManifest(root);
    expect(manifest.repository).toEqual(repository && repositoryOf(repository, folder));
  },
);
