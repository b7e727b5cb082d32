import { describe, expect, test } from '@jest/globals';
import { baseLayer, basePackages } from '../src/base-layer.ts';
import { readDebianLock } from '../src/debian-lock.ts';
import { type DebianContents } from '../src/debian-package.ts';
import { type TarEntry } from '../src/tar.ts';

const file = (path: string, content = path): TarEntry => ({
  kind: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(content),
});

const triplet = 'usr/lib/x86_64-linux-gnu';
const shipped: Readonly<Record<string, readonly TarEntry[]>> = {
  'base-files': [
    { kind: 'link', path: 'lib64', target: 'usr/lib64' },
    file('usr/lib/os-release'),
    file('usr/share/common-licenses/GPL-3'),
    file('etc/motd'),
  ],
  libc6: [
    file(`${triplet}/libc.so.6`),
    file('usr/lib64/ld-linux-x86-64.so.2'),
    file(`${triplet}/gconv/BIG5.so`),
    file('usr/bin/ldd'),
  ],
  'libstdc++6': [file(`${triplet}/libstdc++.so.6.0.33`), file('usr/share/gdb/auto-load/libstdc++.py')],
  'libgcc-s1': [file(`${triplet}/libgcc_s.so.1`)],
  'gcc-14-base': [],
  'ca-certificates': [
    file('usr/share/ca-certificates/mozilla/B.crt', 'second'),
    file('usr/share/ca-certificates/mozilla/A.crt', 'first'),
    file('usr/sbin/update-ca-certificates'),
  ],
};

const contents = (
  changed: Readonly<Record<string, readonly TarEntry[]>> = {},
): Record<string, DebianContents> =>
  Object.fromEntries(
    Object.entries({ ...shipped, ...changed }).map(([name, entries]) => [
      name,
      {
        entries: [...entries, file(`usr/share/doc/${name}/copyright`)],
        control: Buffer.from(`Package: ${name}\n`),
      },
    ]),
  );

const textOf = (entries: readonly TarEntry[], path: string): string | undefined => {
  const entry = entries.find((each) => each.path === path);
  return entry?.kind === 'file' ? entry.content.toString() : undefined;
};

describe('base layer', () => {
  test('packages of Debian -> their libraries and licenses, no program, nothing else', () => {
    const paths = baseLayer(contents()).map(({ path }) => path);
    expect(
      paths.filter((path) => !/^(usr\/share\/doc|var\/lib\/dpkg\/status\.d)\//.test(path)).toSorted(),
    ).toEqual([
      'etc/group',
      'etc/nsswitch.conf',
      'etc/passwd',
      'etc/ssl/certs/ca-certificates.crt',
      'lib64',
      'tmp',
      'usr/lib/os-release',
      'usr/lib/x86_64-linux-gnu/libc.so.6',
      'usr/lib/x86_64-linux-gnu/libgcc_s.so.1',
      'usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.33',
      'usr/lib64/ld-linux-x86-64.so.2',
      'usr/share/common-licenses/GPL-3',
    ]);
  });

  test.each(basePackages)('%s -> its copyright and its paragraph for scanners are in it', (name) => {
    const entries = baseLayer(contents());
    expect(textOf(entries, `usr/share/doc/${name}/copyright`)).toBeDefined();
    expect(textOf(entries, `var/lib/dpkg/status.d/${name}`)).toBe(`Package: ${name}\n`);
  });

  test('certificates -> in one file, in the order of their names', () => {
    expect(textOf(baseLayer(contents()), 'etc/ssl/certs/ca-certificates.crt')).toBe('first\nsecond\n');
  });

  test('user 65532 -> has a name and a group, and no shell', () => {
    const entries = baseLayer(contents());
    expect(textOf(entries, 'etc/passwd')).toMatch(
      /^nonroot:x:65532:65532:nonroot:\/home\/nonroot:\/sbin\/nologin$/m,
    );
    expect(textOf(entries, 'etc/group')).toMatch(/^nonroot:x:65532:$/m);
    expect(entries.find(({ path }) => path === 'tmp')).toMatchObject({ kind: 'folder', mode: 0o1777 });
  });

  test('a library that a new release has moved -> refused by the name of its package', () => {
    expect(() => baseLayer(contents({ 'libgcc-s1': [file('opt/libgcc_s.so.1')] }))).toThrow(
      'the Debian package libgcc-s1 holds nothing that matches',
    );
  });
});

describe('debian-lock.json', () => {
  test('each package of the base layer -> locked for amd64 and arm64, or for all', () => {
    const { packages } = readDebianLock();
    for (const name of basePackages) {
      const locked = packages.filter((each) => each.name === name).map(({ architecture }) => architecture);
      expect([name, locked.toSorted()]).toEqual([
        name,
        locked.includes('all') ? ['all'] : ['amd64', 'arm64'],
      ]);
    }
    expect(packages.filter(({ sha256 }) => !/^[0-9a-f]{64}$/.test(sha256))).toStrictEqual([]);
  });
});
