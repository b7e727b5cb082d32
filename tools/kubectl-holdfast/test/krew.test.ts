import { expect, test } from '@jest/globals';
import { krewManifest } from '../src/krew/manifest.ts';
import { version } from '../src/version.ts';

/*
 * What krew checks of a manifest (internal/index/validation and cmd/validate-krew-manifest), and krew-index asks for.
 */

const manifest = krewManifest({
  version,
  uri: 'https://example.com/kubectl-holdfast.tar.gz',
  sha256: 'a'.repeat(64),
  homepage: 'https://example.com',
});
const { spec } = manifest;

test('kind, name and version are those that krew takes', () => {
  expect(manifest).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: expect.stringMatching(/^[\w-]+$/) },
  });
  expect(spec.version).toMatch(/^v\d+\.\d+\.\d+(-[\w.]+)?$/);
});

test('texts fit: one short line, no line too long, nothing in capitals or with a dot at its end', () => {
  expect(spec.shortDescription).toMatch(/^[^\r\n]{1,50}[^.\r\n]$/);
  const lines = [...spec.description.split('\n'), ...spec.caveats.split('\n')];
  expect(lines.filter((line) => line.length > 80)).toStrictEqual([]);
});

test('each platform is selected by os and arch alone, and none twice', () => {
  const pairs = spec.platforms.flatMap(({ selector: { matchExpressions } }) => {
    const valuesOf = (key: string) => matchExpressions.find((each) => each.key === key)?.values ?? [];
    expect(matchExpressions.map(({ key, operator }) => `${key} ${operator}`)).toEqual(['os In', 'arch In']);
    return valuesOf('os').flatMap((os) => valuesOf('arch').map((arch) => `${os}/${arch}`));
  });
  expect(pairs).toEqual(['linux/amd64', 'linux/arm64', 'darwin/amd64', 'darwin/arm64']);
  expect(new Set(pairs).size).toBe(pairs.length);
});

test('each platform has an address, a sum and a program', () => {
  for (const { uri, sha256, bin } of spec.platforms) {
    expect(uri).toMatch(/^https:\/\//);
    expect(sha256).toMatch(/^[a-f0-9]{64}$/);
    expect(bin).toBe('main.js');
  }
});
