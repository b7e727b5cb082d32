import { expect, test } from '@jest/globals';
import type { OwnerReference } from '@holdfast/core';
import { caches, pod, set } from './caches.ts';
import { claim, foreignController, stock, toPod, toSet } from './snapshots.ts';

const toOther = toSet({ apiVersion: 'apps.kruise.io/v1beta1' });

test.each<{ name: string; reference: OwnerReference; template?: string; left: boolean }>([
  { name: 'the workload', reference: toOther, left: true },
  { name: 'the workload, which has the template', reference: toOther, template: 'data', left: false },
  { name: 'an earlier workload of the name', reference: { ...toOther, uid: 'uid-0' }, left: false },
  { name: 'the workload, written by its own controller', reference: stock(toOther), left: false },
  { name: 'another', reference: foreignController, left: false },
  { name: 'a pod of the workload', reference: toPod(), left: true },
  {
    name: 'a pod of the workload, which has the template',
    reference: toPod(),
    template: 'data',
    left: false,
  },
  { name: 'an earlier pod of the name', reference: toPod({ uid: 'uid-0' }), left: false },
  { name: 'a pod of the workload, written by its own controller', reference: stock(toPod()), left: false },
])(
  'claim controlled by $name -> left without a template: $left',
  ({ reference, template = 'disk', left }) => {
    const given = claim([reference]);
    const { view } = caches({
      claims: [given],
      others: [set({ volumeClaimTemplates: [{ metadata: { name: template } }] })],
      pods: [pod([toOther])],
    });
    expect(view.leftover(given).withoutTemplate).toStrictEqual(left ? [reference] : []);
    expect(view.lacksTemplate(given)).toBe(left);
  },
);

test('claim controlled by a pod of a StatefulSet, whose templates nobody can change -> not left', () => {
  const given = claim([toPod()]);
  const sets = [set({ volumeClaimTemplates: [{ metadata: { name: 'disk' } }] })];
  expect(caches({ claims: [given], sets, pods: [pod([toSet()])] }).view.lacksTemplate(given)).toBe(false);
});
