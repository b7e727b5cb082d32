import { type BundledPackage } from './bundled-packages.ts';
import { type DebianLock } from './debian-lock.ts';
import { type NodePackage } from './node-package.ts';
import { type Architecture } from './oci-layout.ts';

/** The parts of an image. */
export interface Parts {
  readonly app: { readonly name: string; readonly version: string; readonly description: string };
  readonly architecture: Architecture;
  readonly bundled: readonly BundledPackage[];
  readonly node: NodePackage;
  readonly debian: DebianLock;
  /**
   * SHA-512 digests of npm's tarballs, by the folders in which they are installed, as in package-lock.json.
   */
  readonly integrities: Readonly<Record<string, string>>;
}

/**
 * Returns the bill of materials of an image in CycloneDX 1.6: the app, the packages with files in its bundle,
 * Node, and the Debian packages. It has no time and no serial number, because both would differ from build to
 * build.
 */
export function billOfMaterials({ app, architecture, bundled, node, debian, integrities }: Parts): string {
  const subject = {
    type: 'application',
    'bom-ref': npmUrl(`@holdfast/${app.name}`, app.version),
    group: '@holdfast',
    name: app.name,
    version: app.version,
    description: app.description,
    licenses: [{ expression: 'Apache-2.0' }],
  };
  const components = [
    ...bundled.map((each) => npmComponent(each, integrities[each.folder])),
    {
      type: 'platform',
      'bom-ref': npmUrl(node.name, node.version),
      name: 'node',
      version: node.version,
      hashes: [{ alg: 'SHA-512', content: node.sha512 }],
      licenses: [{ expression: 'MIT' }],
      cpe: `cpe:2.3:a:nodejs:node.js:${node.version}:*:*:*:*:*:*:*`,
      purl: npmUrl(node.name, node.version),
    },
    ...debian.packages
      .filter((each) => each.architecture === architecture || each.architecture === 'all')
      .map(({ name, version, architecture: built, sha256 }) => {
        const url = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${built}&distro=${debian.suite}`;
        return {
          type: 'library',
          'bom-ref': url,
          name,
          version,
          hashes: [{ alg: 'SHA-256', content: sha256 }],
          purl: url,
        };
      }),
  ];
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: subject },
    components,
    // The parts of Node's binary (V8, OpenSSL and others) are not listed.
    compositions: [
      { aggregate: 'complete', assemblies: [subject['bom-ref']] },
      { aggregate: 'incomplete', assemblies: [npmUrl(node.name, node.version)] },
    ],
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

function npmComponent(
  { name, version, folder, license }: BundledPackage,
  integrity: string | undefined,
): unknown {
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    // Two copies of the same release have the same URL but different folders.
    'bom-ref': `${npmUrl(name, version)}#${folder}`,
    ...(scope === undefined ? {} : { group: scope }),
    name: rest,
    version,
    ...(integrity === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }),
    licenses: [{ expression: license }],
    purl: npmUrl(name, version),
  };
}

const npmUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;
