import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { unifiedDiff } from '../src/unified-diff.ts';

test.each([
  ['equal texts', 'a\n', 'a\n', ''],
  [
    'line in the middle',
    '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    '1\n2\n3\n4\nx\n6\n7\n8\n9\n',
    '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n',
  ],
  ['line at the end', 'a\nb\n', 'a\nb\nc\n', '@@ -1,2 +1,3 @@\n a\n b\n+c\n'],
  ['line twice', 'a\na\n', 'a\n', '@@ -1,2 +1,1 @@\n a\n-a\n'],
  ['all gone', 'a\nb\n', '', '@@ -1,2 +0,0 @@\n-a\n-b\n'],
])('%s -> one hunk', (_, before, after, hunk) => {
  expect(unifiedDiff('f', before, after)).toBe(hunk === '' ? '' : `--- f\n+++ f\n${hunk}`);
});

test('no text before -> a new file', () => {
  expect(unifiedDiff('f', '', 'a\n')).toBe('--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n');
});

test('any two texts -> the hunk, with as many lines as it says, turns one into the other', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b', '', '-c'), { maxLength: 12 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const [, , head = '', ...lines] = unifiedDiff('f', before, after).split('\n').slice(0, -1);
      fc.pre(head !== '');
      const [from = 0, removed, , added] = (/-(\d+),(\d+) \+(\d+),(\d+)/.exec(head) ?? [])
        .slice(1)
        .map(Number);
      const old = before.split('\n').slice(0, -1);
      const isOld = (line: string): boolean => !line.startsWith('+');
      const isNew = (line: string): boolean => !line.startsWith('-');
      expect([lines.filter(isOld).length, lines.filter(isNew).length]).toEqual([removed, added]);
      const start = removed === 0 ? from : from - 1;
      expect(lines.filter(isOld).map((line) => line.slice(1))).toEqual(
        old.slice(start, start + (removed ?? 0)),
      );
      const patched = old.toSpliced(start, removed ?? 0, ...lines.filter(isNew).map((line) => line.slice(1)));
      expect(patched.map((line) => `${line}\n`).join('')).toBe(after);
    }),
  );
});
