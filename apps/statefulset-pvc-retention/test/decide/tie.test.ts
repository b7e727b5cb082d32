import { expect, test } from '@jest/globals';
import { isOfTiedKind, parseTie, tiedTo, tieValue } from '../../src/decide/tie.ts';
import { claim, facts } from '../snapshots.ts';

const web = { kind: 'StatefulSet.apps', name: 'web', uid: 'uid-of-web' };

test('a tie as it is written -> read as it was', () => {
  expect(tieValue(claim(), web)).toBe('StatefulSet.apps/web/uid-of-web/uid-of-claim');
  expect(parseTie(claim(), tieValue(claim(), web))).toEqual(web);
});

test.each([
  { name: 'of another claim', value: 'StatefulSet.apps/web/uid-of-web/another' },
  { name: 'without a claim', value: 'StatefulSet.apps/web/uid-of-web' },
  { name: 'with something after it', value: 'StatefulSet.apps/web/uid-of-web/uid-of-claim/x' },
  { name: 'without a kind', value: '/web/uid-of-web/uid-of-claim' },
  { name: 'without a name', value: 'StatefulSet.apps//uid-of-web/uid-of-claim' },
  { name: 'without a UID', value: 'StatefulSet.apps/web//uid-of-claim' },
  { name: 'empty', value: '' },
])('tie $name -> void', ({ value }) => {
  expect(parseTie(claim(), value)).toBe('void');
});

test.each([
  { apiVersion: 'apps/v1', kind: 'StatefulSet.apps' },
  { apiVersion: 'v1', kind: 'StatefulSet.' },
])('workload of $apiVersion -> tied to a $kind', ({ apiVersion, kind }) => {
  expect(tiedTo(facts({ apiVersion }))).toEqual({ ...web, kind });
});

test.each([
  { kind: 'StatefulSet', group: 'apps', is: true },
  { kind: 'StatefulSet', group: 'apps.kruise.io', is: false },
  { kind: 'Deployment', group: 'apps', is: false },
])('tied to a StatefulSet.apps -> of kind $kind in $group: $is', ({ kind, group, is }) => {
  expect(isOfTiedKind(web, { kind, group })).toBe(is);
});
