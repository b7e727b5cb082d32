import { expect, test } from '@jest/globals';
import { compareAnswers, knownDifferences } from '../../src/strangers/compare.ts';

const answer = (stdout: string, code = 0) => ({ code, stdout, stderr: '' });
const [get, explain] = [{ line: 'kubectl get pods' }, { line: 'kubectl explain pods' }];

test('answers differ in what each run has its own of -> alike', () => {
  const [here, there] = [
    'uid: 6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'uid: 00000000-9dad-11d1-80b4-00c04fd430c8',
  ];
  expect(compareAnswers([get], [answer(here)], [answer(there)], [])).toEqual({
    alike: 1,
    unlisted: [],
    listed: [],
    gone: [],
  });
});

test('answers differ, not listed -> the lines that only one has', () => {
  const { unlisted } = compareAnswers([get], [answer('NAME\nweb')], [answer('NAME\ndb', 1)], []);
  expect(unlisted).toEqual([
    { line: 'kubectl get pods', text: '  - exit code 1\n  - db\n  + exit code 0\n  + web' },
  ]);
});

test('same lines in another order -> said so', () => {
  const { unlisted } = compareAnswers([get], [answer('a\nb')], [answer('b\na')], []);
  expect(unlisted.map(({ text }) => text)).toEqual(['  the same lines in another order']);
});

test('same lines in another order, of a command whose lines the real server orders at random -> alike', () => {
  const unordered = { ...get, inAnyOrder: true };
  expect(compareAnswers([unordered], [answer('a\nb')], [answer('b\na')], [])).toMatchObject({ alike: 1 });
  const { unlisted } = compareAnswers([unordered], [answer('a\nb')], [answer('b\nc')], []);
  expect(unlisted.map(({ text }) => text)).toEqual(['  - c\n  + a']);
});

test('listed and different -> listed; listed and alike, listed and not asked -> gone', () => {
  const known = ['kubectl get pods', 'kubectl explain pods', 'kubectl top'];
  const comparison = compareAnswers(
    [get, explain],
    [answer('a'), answer('same')],
    [answer('b'), answer('same')],
    known,
  );
  expect(comparison.listed.map(({ line }) => line)).toEqual(['kubectl get pods']);
  expect(comparison).toMatchObject({ alike: 1, unlisted: [], gone: ['kubectl explain pods', 'kubectl top'] });
});

test('table below the heading -> commands of the first column; other tables are not read', () => {
  const readme = [
    '### Before',
    '| `kubectl other` | x |',
    '### What differs',
    '',
    '| command | why |',
    '| ------- | --- |',
    '| `kubectl get a`, `kubectl get b` | `kubectl` says so |',
    "| `kubectl get -o jsonpath='{a\\|b}'` | |",
    '',
    '## After',
    '| `kubectl after` | x |',
  ].join('\n');
  expect(knownDifferences(readme, '### What differs')).toEqual([
    'kubectl get a',
    'kubectl get b',
    "kubectl get -o jsonpath='{a|b}'",
  ]);
});

test('no such heading -> refused by its name', () => {
  expect(() => knownDifferences('# Other\n', '### What differs')).toThrow('### What differs');
});
