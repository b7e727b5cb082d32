import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { retag } from '../src/image-tags.ts';
import { readManifest } from '../src/manifest.ts';

const root = join(import.meta.dirname, '../../..');

test.each([
  ['image: holdfast/an-app:0.1.0\n', 'image: holdfast/an-app:0.2.0\n'],
  ['registry.example.com/holdfast/an-app:0.1.0 -', 'registry.example.com/holdfast/an-app:0.2.0 -'],
  ['oci:dist/images/an-app:0.1.0-rc.1.', 'oci:dist/images/an-app:0.2.0.'],
  ['holdfast/an-app:0.1.0, holdfast/an-app:0.1.0', 'holdfast/an-app:0.2.0, holdfast/an-app:0.2.0'],
])('%j -> %j', (before, after) => {
  expect(retag(before, 'an-app', '0.2.0')).toBe(after);
});

test.each([
  'holdfast/other-app:0.1.0',
  'holdfast/an-app-too:0.1.0',
  'holdfast/more-an-app:0.1.0',
  'holdfast/an-app:latest',
])('%s -> as it is', (text) => {
  expect(retag(text, 'an-app', '0.2.0')).toBe(text);
});

test.each(globSync('apps/*', { cwd: root }).toSorted())(
  '%s -> manifests and pages name the image of its version',
  (folder) => {
    const app = folder.slice('apps/'.length);
    const { version } = readManifest(join(root, folder));
    const texts = globSync(['deploy/**/*.yaml', 'docs/**/*.md'], { cwd: root }).map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const tags = texts.flatMap((text) => [...text.matchAll(new RegExp(`/${app}:(\\d[\\w.-]*\\w)`, 'g'))]);
    expect(tags.length).toBeGreaterThan(0);
    expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set([version]));
  },
);
