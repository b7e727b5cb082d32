import { expect, test } from '@jest/globals';
import { duplicateKeyProblem } from '../src/rest/duplicate-key.ts';

test.each([
  ['a: 1\na: 2\n', 2, 'a'],
  ['a: 1\na  : 2\n', 2, 'a'],
  ['a b: 1\na b: 2\n', 2, 'a b'],
])('%j -> line and key', (yaml, line, key) => {
  const problem = `yaml: unmarshal errors:\n  line ${line}: key "${key}" already set in map`;
  expect(duplicateKeyProblem(Buffer.from(yaml))).toBe(problem);
});

test('key with a million spaces behind it and no colon -> found as any other', () => {
  const yaml = `? a\n: 1\n? a${' '.repeat(1_000_000)}\n: 1\n`;
  expect(duplicateKeyProblem(Buffer.from(yaml))).toContain('already set in map');
});
