import { expect, test } from '@jest/globals';
import { rounds } from '../../src/e2e/parts.ts';

const tests = rounds.flat().flatMap((part) => part.tests);

test('all tests -> each named once', () => {
  const names = tests.map(({ name }) => name);
  for (const name of names) {
    expect(names.filter((other) => other === name)).toHaveLength(1);
  }
});

test('reference of ours, read where the test compares whole references -> only blockOwnerDeletion differs', () => {
  const reference = {
    kind: 'StatefulSet',
    name: 'ss',
    uid: 'u',
    controller: true,
    blockOwnerDeletion: false,
  };
  const [lensed, ...others] = tests.filter(({ lens }) => lens !== undefined);
  expect(others).toStrictEqual([]);
  expect(JSON.parse(lensed?.lens?.apply(JSON.stringify(reference)) ?? '')).toEqual({
    ...reference,
    blockOwnerDeletion: true,
  });
});
