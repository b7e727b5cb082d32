import { expect, test } from '@jest/globals';
import { masked } from '../../src/strangers/mask.ts';

const ofText = (stdout: string): string =>
  masked({ code: 0, stdout, stderr: '' }).replace('exit code 0\n', '');

test.each([
  ['uid: 6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'uid: <uid>'],
  ['creationTimestamp: "2031-02-03T04:05:06Z"', 'creationTimestamp: "<time>"'],
  ['time: "2031-02-03T04:05:06.123456Z"', 'time: "<time>"'],
  ['CreationTimestamp:  Mon, 03 Feb 2031 04:05:06 +0000', 'CreationTimestamp:  <time>'],
  ['LAST DEPLOYED: Mon Feb  3 04:05:06 2031', 'LAST DEPLOYED: <time>'],
  ['  resourceVersion: "123"', '  resourceVersion: <version>'],
  ['"resourceVersion":"123"', '"resourceVersion":<version>'],
  [String.raw`{\"resourceVersion\":\"12\",\"a\":1}`, String.raw`{\"resourceVersion\":<version>,\"a\":1}`],
  ['running at https://127.0.0.1:6443', 'running at <server>'],
  ['NAME   AGE\nweb    12s', 'NAME  AGE\nweb  <age>'],
  ['shop\t1  \t<none>', 'shop  1  <none>'],
  ['web   3m12s', 'web  <age>'],
  ['Created   12s ago', 'Created  <age> ago'],
  ['80:31234/TCP', '80:<node port>/TCP'],
  ['E0203 04:05:06.123456   31234 run.go:72] "no"', '<log> run.go:72] "no"'],
  ['apiserver-wlv32tlttr4jl3gtroqexyxapa   1', '<server identity>  1'],
  ['apiserver-wlv32tlttr4jl3gtroqexyxapa_6ba7b810-9dad-11d1-80b4-00c04fd430c8   1', '<server identity>  1'],
  ['"gitCommit": "0a1b2c",', '"gitCommit": "<build>",'],
  ['ClusterIP   10.0.0.17   <none>', 'ClusterIP  <service address>  <none>'],
])('%j -> %j', (text, expected) => {
  expect(ofText(text)).toBe(expected);
});

test('exit code and both outputs -> all are compared', () => {
  expect(masked({ code: 1, stdout: 'out\n', stderr: 'err\n' })).toBe('exit code 1\nout\nerr');
});

test('indentation -> kept', () => {
  expect(ofText('a:\n    b:   c')).toBe('a:\n    b:  c');
});

test('numbers that are no ages -> kept', () => {
  expect(ofText('replicas: 3\nport: 8080\ncpu: 100m\nsize: 10')).toBe(
    'replicas: 3\nport: 8080\ncpu: 100m\nsize: 10',
  );
});
