import { type DebianContents } from './debian-package.ts';
import { type TarEntry } from './tar.ts';

/** The user ID of the process: unprivileged and unassigned on the host, and the same as in the manifests. */
export const nonroot = 65532;

/**
 * Which parts of which packages are in an image: the libraries that Node is linked with, those that the C
 * library loads to resolve host names, their licenses, and the files by which scanners identify the release.
 * It contains no program.
 */
const parts = {
  'base-files': [/^lib(64)?$/, /^(etc|usr\/lib)\/os-release$/, /^usr\/share\/common-licenses\//],
  libc6: [
    /^usr\/lib(64)?\/ld-linux-[^/]+$/,
    /^usr\/lib\/[^/]+\/(ld-linux-[^/]+|lib(c|dl|m|mvec|nss_dns|nss_files|pthread|resolv|rt)\.so\.\d+)$/,
  ],
  'libstdc++6': [/^usr\/lib\/[^/]+\/libstdc\+\+\.so[.\d]*$/],
  'libgcc-s1': [/^usr\/lib\/[^/]+\/libgcc_s\.so\.1$/],
  // Contains the licenses of the two packages above.
  'gcc-14-base': [],
  'ca-certificates': [],
} satisfies Readonly<Record<string, readonly RegExp[]>>;

export const basePackages: readonly string[] = Object.keys(parts);

/**
 * Returns what an image contains in addition to Node and the app.
 *
 * @param packages the contents of the packages in `basePackages`
 * @throws if a package has none of the expected files, which means that they have moved
 */
export function baseLayer(packages: Readonly<Record<string, DebianContents>>): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (const [name, patterns] of Object.entries(parts)) {
    const contents = contentsOf(packages, name);
    const doc = `usr/share/doc/${name}`;
    for (const pattern of [...patterns, pathPattern(`${doc}|${doc}/copyright`)]) {
      const matching = contents.entries.filter(({ path, kind }) => pattern.test(path) && kind !== 'folder');
      if (matching.length === 0) {
        throw new Error(`the Debian package ${name} holds nothing that matches ${String(pattern)}`);
      }
      entries.push(...matching);
    }
    // Scanners look here for the installed packages of images without dpkg.
    entries.push(file(`var/lib/dpkg/status.d/${name}`, contents.control));
  }
  return [
    ...entries,
    file('etc/ssl/certs/ca-certificates.crt', certificates(contentsOf(packages, 'ca-certificates'))),
    text('etc/passwd', [
      'root:x:0:0:root:/root:/sbin/nologin',
      `nonroot:x:${nonroot}:${nonroot}:nonroot:/home/nonroot:/sbin/nologin`,
    ]),
    text('etc/group', ['root:x:0:', `nonroot:x:${nonroot}:`]),
    text('etc/nsswitch.conf', ['passwd: files', 'group: files', 'hosts: files dns']),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
  ];
}

function contentsOf(packages: Readonly<Record<string, DebianContents>>, name: string): DebianContents {
  const contents = packages[name];
  if (contents === undefined) {
    throw new Error(`debian-lock.json has no ${name}: run lock-debian.ts`);
  }
  return contents;
}

/** Concatenates all of them into one file, as update-ca-certificates does. */
function certificates({ entries }: DebianContents): Buffer {
  const found = entries
    .flatMap((entry) => (entry.kind === 'file' && entry.path.endsWith('.crt') ? [entry] : []))
    .filter(({ path }) => path.startsWith('usr/share/ca-certificates/'))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  if (found.length === 0) {
    throw new Error('the Debian package ca-certificates holds no certificate');
  }
  return Buffer.concat(found.flatMap(({ content }) => [content, Buffer.from('\n')]));
}

const pathPattern = (alternatives: string): RegExp =>
  new RegExp(`^(${alternatives.replaceAll('+', '\\+')})$`);

const file = (path: string, content: Buffer): TarEntry => ({ kind: 'file', path, mode: 0o644, content });

const text = (path: string, lines: readonly string[]): TarEntry =>
  file(path, Buffer.from(lines.map((line) => `${line}\n`).join('')));
