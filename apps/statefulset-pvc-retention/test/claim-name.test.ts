import { expect, test } from '@jest/globals';
import { workloadNamesOf } from '../src/claim-name.ts';

test.each([
  { name: 'data-web-0', names: ['web'] },
  { name: 'data-x-web-12', names: ['x-web', 'web'] },
  { name: 'data--web-0', names: ['-web', 'web'] },
  { name: 'data-0', names: [] },
  { name: 'data-web', names: [] },
])('R3: claim $name -> made by workloads $names', ({ name, names }) => {
  const metadata = { name, namespace: 'ns', uid: 'uid', resourceVersion: '1' };
  expect(workloadNamesOf({ metadata })).toEqual(names);
});
