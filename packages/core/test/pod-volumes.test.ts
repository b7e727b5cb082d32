import { expect, test } from '@jest/globals';
import { claimUses, type Pod, type Volume } from '@holdfast/core';
import { stored } from './stored.ts';

function pod(volumes?: readonly Volume[]): Pod {
  const spec = { containers: [] };
  return { ...stored({ name: 'web-0' }), spec: volumes === undefined ? spec : { ...spec, volumes } };
}

const claim = (name: string, claimName: string): Volume => ({ name, persistentVolumeClaim: { claimName } });
const template = { spec: { accessModes: ['ReadWriteOnce'] } };

test.each([
  { state: 'no spec', pod: stored() },
  { state: 'no volumes', pod: pod() },
  { state: 'empty list', pod: pod([]) },
  {
    state: 'volumes of other kinds',
    pod: pod([
      { name: 'a', emptyDir: {} },
      { name: 'b', configMap: { name: 'b' } },
    ]),
  },
])('$state -> no claim', ({ pod }) => {
  expect(claimUses(pod)).toStrictEqual([]);
});

test('claims by name -> each, in the order of the volumes', () => {
  expect(claimUses(pod([claim('a', 'second'), { name: 'x', emptyDir: {} }, claim('b', 'first')]))).toEqual([
    { claimName: 'second', ephemeral: false },
    { claimName: 'first', ephemeral: false },
  ]);
});

test('generic ephemeral volume -> the claim named after pod and volume (KEP-1698)', () => {
  expect(claimUses(pod([{ name: 'scratch', ephemeral: { volumeClaimTemplate: template } }]))).toEqual([
    { claimName: 'web-0-scratch', ephemeral: true },
  ]);
});

test('one claim under two volumes -> told twice', () => {
  expect(claimUses(pod([claim('a', 'data'), claim('b', 'data')]))).toHaveLength(2);
});

test.each([[7], [{}], [null], [undefined], ['']])(
  'X1: name of the claim is %j -> an Error names pod and volume: it might be any claim',
  (claimName) => {
    const odd = { name: 'data', persistentVolumeClaim: { claimName } } as unknown as Volume;
    expect(() => claimUses(pod([claim('a', 'first'), odd]))).toThrow(
      'pod web-0: volume "data" names no claim',
    );
  },
);

test.each([[7], [null], [undefined], ['']])(
  'name of an ephemeral volume is %j -> an Error names the pod: its claim might be any',
  (name) => {
    const odd = { name, ephemeral: {} } as unknown as Volume;
    expect(() => claimUses(pod([claim('a', 'first'), odd]))).toThrow(
      'pod web-0: an ephemeral volume has no name',
    );
  },
);
