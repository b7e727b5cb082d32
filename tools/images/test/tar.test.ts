import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readTar, writeTar, type TarEntry } from '../src/tar.ts';

const file = (path: string, content = '', mode = 0o644): TarEntry => ({
  kind: 'file',
  path,
  mode,
  content: Buffer.from(content),
});

/** Another writer and reader, whose own options are needed. */
const version = spawnSync('tar', ['--version'], { encoding: 'utf8' });
const hasGnuTar = version.error === undefined && version.stdout.includes('GNU tar');
if (!hasGnuTar) {
  process.stderr.write(
    'SKIPPED, archives read by another program: there is no GNU tar. Install it as "tar".\n',
  );
}
const testWithGnuTar = hasGnuTar ? test : test.skip;

describe('writeTar', () => {
  const part = fc.stringMatching(/^[a-zA-Z0-9 ő+=_-]{1,30}$/);
  const content = fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes));
  const mode = fc.constantFrom(0o400, 0o644, 0o755, 0o1777);
  const entry = fc.oneof(
    fc.record({ kind: fc.constant('file' as const), path: part, mode, content }),
    fc.record({ kind: fc.constant('folder' as const), path: part, mode }),
    fc.record({ kind: fc.constant('link' as const), path: part, target: part }),
  );
  const entries = fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 8 });

  test('any entries -> read as they were written, sorted', () => {
    fc.assert(
      fc.property(entries, (written) => {
        const sorted = written.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
        expect(readTar(writeTar(written))).toEqual(sorted);
      }),
    );
  });

  test('the same entries in another order -> the same bytes', () => {
    fc.assert(
      fc.property(
        entries.chain((written) =>
          fc.tuple(
            fc.constant(written),
            fc.shuffledSubarray(written, { minLength: written.length, maxLength: written.length }),
          ),
        ),
        ([written, shuffled]) => {
          expect(writeTar(shuffled).equals(writeTar(written))).toBe(true);
        },
      ),
    );
  });

  testWithGnuTar(
    'names and modes of all kinds -> another reader reads the same, owner root, second 0',
    () => {
      const long = `${'folder/'.repeat(21)}${'n'.repeat(99)}`;
      const archive = writeTar([
        file(long),
        file('a file'),
        file('ő/Főtanúsítvány=1.crt', 'x'.repeat(513), 0o600),
        { kind: 'folder', path: 'tmp', mode: 0o1777 },
        { kind: 'link', path: 'lib64', target: 'usr/lib64' },
      ]);
      const listing = execFileSync(
        'tar',
        [
          '-tv',
          '--full-time',
          '--numeric-owner',
          '--quoting-style=literal',
          '--utc',
          '--full-time',
          '-f',
          '-',
        ],
        {
          input: archive,
          encoding: 'utf8',
        },
      );
      const lines = listing
        .trim()
        .split('\n')
        .map((line) => line.replaceAll(/ +/g, ' '))
        .filter((line) => !line.includes(' folder/') || line.endsWith('n'));
      expect(lines).toEqual([
        '-rw-r--r-- 0/0 0 1970-01-01 00:00:00 a file',
        `-rw-r--r-- 0/0 0 1970-01-01 00:00:00 ${long}`,
        'lrwxrwxrwx 0/0 0 1970-01-01 00:00:00 lib64 -> usr/lib64',
        'drwxrwxrwt 0/0 0 1970-01-01 00:00:00 tmp/',
        'drwxr-xr-x 0/0 0 1970-01-01 00:00:00 ő/',
        '-rw------- 0/0 513 1970-01-01 00:00:00 ő/Főtanúsítvány=1.crt',
      ]);
    },
  );

  test('folders above an entry that are not named -> added with mode 0755', () => {
    expect(readTar(writeTar([file('usr/share/doc')]))).toEqual([
      { kind: 'folder', path: 'usr', mode: 0o755 },
      { kind: 'folder', path: 'usr/share', mode: 0o755 },
      file('usr/share/doc'),
    ]);
  });

  test.each([
    ['leaves the archive', [file('../etc/passwd')], 'is not a relative path'],
    ['absolute', [file('/etc/passwd')], 'is not a relative path'],
    ['empty', [file('')], 'is not a relative path'],
    ['a folder by its name only', [file('etc/')], 'is not a relative path'],
    ['twice', [file('a'), file('a')], 'two entries are at a'],
    ['below a file', [file('a'), file('a/b')], 'a/b is below a, which is a file'],
    ['a name of 101 bytes', [file('n'.repeat(101))], 'too long for a ustar header'],
    ['folders of 156 bytes', [file(`${'f'.repeat(156)}/${'n'.repeat(90)}`)], 'too long for a ustar header'],
    [
      'a link to a path of 101 bytes',
      [{ kind: 'link', path: 'a', target: 't'.repeat(101) } as const],
      'more than 100 bytes',
    ],
  ])('path: %s -> refused', (_, refused, message) => {
    expect(() => writeTar(refused)).toThrow(message);
  });
});

describe('readTar', () => {
  testWithGnuTar.each(['gnu', 'pax', 'ustar'])(
    'an archive in the format %s of another writer -> read, long names too',
    (format) => {
      const name = `${'folder/'.repeat(20)}${'n'.repeat(90)}`;
      const archive = execFileSync(
        'tar',
        ['-c', `--format=${format}`, '--transform', `s,package.json,./${name},`, '-f', '-', 'package.json'],
        { cwd: `${import.meta.dirname}/..` },
      );
      expect(readTar(archive)).toEqual([expect.objectContaining({ kind: 'file', path: name })]);
    },
  );

  test('cut off within a file -> an error that names it, and no shorter file', () => {
    const archive = writeTar([file('libc.so.6', 'x'.repeat(5000))]);
    expect(() => readTar(archive.subarray(0, 2000))).toThrow('the archive ends within libc.so.6');
  });

  test('a device -> an error that names it', () => {
    const archive = writeTar([file('dev-null')]);
    archive.write('3', 156, 'ascii');
    expect(() => readTar(archive)).toThrow('dev-null is of type "3"');
  });
});
