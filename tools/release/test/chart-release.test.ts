import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { raiseChart, retagChart } from '../src/chart-release.ts';
import { readManifest } from '../src/manifest.ts';

const root = join(import.meta.dirname, '../../..');
const chart = join(root, 'deploy/chart/holdfast');
const values = readFileSync(join(chart, 'values.yaml'), 'utf8');

/** The text of one section, up to the next. */
const sectionOf = (text: string, section: string): string =>
  text.split(/^(?=\w)/m).find((part) => part.startsWith(`${section}:\n`)) ?? '';
const apps = [
  ['pvc-protection', 'pvcProtection'],
  ['retroactive-default-sc', 'retroactiveDefaultSc'],
  ['statefulset-pvc-retention', 'statefulsetPvcRetention'],
  ['pv-reclaim-honor', 'pvReclaimHonor'],
] as const;

describe.each(apps)('%s', (app, section) => {
  test('chart -> the image tag of its section is the version of the app', () => {
    const { version } = readManifest(join(root, 'apps', app));
    expect(sectionOf(values, section)).toMatch(
      new RegExp(`^  image:\\n(?: +#.*\\n)*    tag: ${version}$`, 'm'),
    );
  });

  test('released -> the tag of its section is its version, and nothing else differs', () => {
    const after = retagChart(values, app, '0.2.0-rc.1');
    const tag = '    tag: 0.2.0-rc.1\n';
    expect(sectionOf(after, section)).toContain(tag);
    const { version } = readManifest(join(root, 'apps', app));
    expect(after.split(tag)).toHaveLength(2);
    expect(after.replace(tag, `    tag: ${version}\n`)).toBe(values);
  });
});

test('a section without a tag -> refused, and no other section is changed', () => {
  const text = 'pvcProtection:\n  enabled: true\npvReclaimHonor:\n  image:\n    tag: 0.1.0\n';
  expect(() => retagChart(text, 'pvc-protection', '0.2.0')).toThrow(/pvcProtection\.image\.tag/);
});

test('a package that is no app -> the text as it is', () => {
  expect(retagChart(values, 'core', '0.2.0')).toBe(values);
});

test.each([
  { what: 'patches', raised: [['0.1.0', '0.1.1']], version: '0.3.5' },
  {
    what: 'a minor release among patches',
    raised: [
      ['0.1.0', '0.1.1'],
      ['0.1.9', '0.2.0'],
    ],
    version: '0.4.0',
  },
  {
    what: 'a major release among others',
    raised: [
      ['1.0.3', '2.0.0'],
      ['0.1.9', '0.2.0'],
    ],
    version: '1.0.0',
  },
  { what: 'nothing', raised: [], version: '0.3.4' },
] as const)('$what of controllers released -> chart 0.3.4 becomes $version', ({ raised, version }) => {
  const text = 'name: holdfast\n# Why.\nversion: 0.3.4\nkubeVersion: ">=1.26.0-0"\n';
  expect(raiseChart(text, raised)).toBe(text.replace('0.3.4', version));
});

test('Chart.yaml -> has a version that a release can raise', () => {
  const text = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  expect(raiseChart(text, [['0.1.0', '1.0.0']])).toMatch(/^version: \d+\.0\.0$/m);
});
