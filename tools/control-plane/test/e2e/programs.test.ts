import { expect, test } from '@jest/globals';
import { findPrograms } from '../../src/e2e/programs.ts';
import { temporaryFolders } from '../temporary-folder.ts';

const newFolder = temporaryFolders();

test('nothing is there -> each is named, with what to run', async () => {
  const folder = await newFolder();
  const found = findPrograms(folder, { XDG_CACHE_HOME: folder });
  expect(found.found ? [] : found.reasons).toEqual([
    expect.stringMatching(/^no e2e at .*--tools e2e"$/),
    expect.stringMatching(/^no kube-scheduler at .*--tools e2e"$/),
    expect.stringMatching(/^no binaries of Kubernetes 1\.36 .*--release 1\.36"/),
    expect.stringMatching(/^no binaries of Kubernetes 1\.31 .*--release 1\.31"/),
    ...['pvc-protection', 'statefulset-pvc-retention', 'retroactive-default-sc'].map((app) =>
      expect.stringMatching(`apps/${app}/dist/main.js: build it with "npm run build"$`),
    ),
  ]);
});
