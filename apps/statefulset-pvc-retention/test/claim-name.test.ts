import { describe, expect, test } from '@jest/globals';
import { parseClaimName, workloadNamesOf } from '../src/claim-name.ts';

test.each([
  { name: 'data-web-0', names: ['web'] },
  { name: 'data-x-web-12', names: ['x-web', 'web'] },
  { name: 'data--web-0', names: ['-web', 'web'] },
  { name: 'data-web--0', names: ['web-'] },
  { name: 'data-0', names: [] },
  { name: 'data-web-01', names: [] },
  { name: 'data-web-0-', names: [] },
  { name: 'data-web', names: [] },
])('R3: claim $name -> made by workloads $names', ({ name, names }) => {
  const metadata = { name, namespace: 'ns', uid: 'uid', resourceVersion: '1' };
  expect(workloadNamesOf({ metadata })).toEqual(names);
});

describe('claim name', () => {
  const parse = (name: string, namespace?: string) =>
    parseClaimName({
      metadata: { name, uid: 'uid', resourceVersion: '1', ...(namespace === undefined ? {} : { namespace }) },
    });

  test.each([
    { name: 'data-web-0', stem: 'ns/data-web', ordinal: 0 },
    { name: 'data-web-12', stem: 'ns/data-web', ordinal: 12 },
    { name: 'data-web-1-2', stem: 'ns/data-web-1', ordinal: 2 },
    { name: 'data-web-2147483647', stem: 'ns/data-web', ordinal: 2147483647 },
  ])('$name -> claim $ordinal of $stem', ({ name, stem, ordinal }) => {
    expect(parse(name, 'ns')).toEqual({ stem, ordinal });
  });

  test.each([
    'data-web',
    'data-web-',
    'data-web-01',
    'data-web-1x',
    'data-web--',
    'data-web-x',
    '-0',
    '0',
    // No int32, so that the stock controller makes no pod of it.
    'data-web-2147483648',
    'data-web-12345678901',
  ])('%s -> no claim of a template', (name) => {
    expect(parse(name, 'ns')).toBeUndefined();
  });

  test('an object without a namespace -> not taken for one of a namespace', () => {
    expect(parse('data-web-0')).toEqual({ stem: '/data-web', ordinal: 0 });
  });
});
