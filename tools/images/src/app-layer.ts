import { type BundledPackage } from './bundled-packages.ts';
import { type TarEntry } from './tar.ts';

/** The files that an app adds to its image. */
export interface AppFiles {
  readonly name: string;
  readonly bundle: Buffer;
  readonly sbom: string;
  readonly license: Buffer;
  readonly notice: Buffer;
  readonly bundled: readonly BundledPackage[];
}

/** Puts the bundle into `/app`, and the bill of materials and licenses into `/usr/share/doc/<app>`. */
export function appLayer({ name, bundle, sbom, license, notice, bundled }: AppFiles): readonly TarEntry[] {
  const doc = `usr/share/doc/${name}`;
  const file = (path: string, content: Buffer): TarEntry => ({ kind: 'file', path, mode: 0o644, content });
  return [
    file('app/main.js', bundle),
    file(`${doc}/sbom.cdx.json`, Buffer.from(sbom)),
    file(`${doc}/LICENSE`, license),
    file(`${doc}/NOTICE`, notice),
    file(`${doc}/third-party-licenses.txt`, Buffer.from(bundled.map(section).join('\n'))),
  ];
}

function section({ name, version, license, licenseTexts }: BundledPackage): string {
  const rule = '='.repeat(80);
  return [
    rule,
    `${name} ${version} (${license})`,
    rule,
    '',
    ...licenseTexts.map((text) => `${text.trim()}\n`),
  ].join('\n');
}
