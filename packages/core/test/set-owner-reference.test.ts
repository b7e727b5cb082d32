import { describe, expect, test } from '@jest/globals';
import {
  controllerOf,
  isControlledBy,
  isOwnedBy,
  nodes,
  ownerReference,
  ownerReferencesPatch,
  setOwnerReference,
  statefulSets,
  type ApiResource,
  type Dependent,
  type KubernetesObject,
  type OwnerReference,
  type OwnerReferenceChange,
} from '@holdfast/core';
import fc from 'fast-check';
import { applyJsonPatch, PatchRefused } from './apply-json-patch.ts';
import { stored } from './stored.ts';

const set = stored({ name: 'web', namespace: 'shop', uid: 'uid-web' });
const node = stored({ name: 'node-1', namespace: '', uid: 'uid-node' });
const claim: Dependent = { metadata: { name: 'data', namespace: 'shop' } };

const web = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-web' } as const;
const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'uid-other' } as const;

describe('building', () => {
  test.each([
    { options: undefined, flags: {} },
    { options: {}, flags: {} },
    { options: { controller: true }, flags: { controller: true, blockOwnerDeletion: true } },
    { options: { controller: true, blockOwnerDeletion: false }, flags: { controller: true } },
    { options: { blockOwnerDeletion: true }, flags: { blockOwnerDeletion: true } },
    { options: { controller: false, blockOwnerDeletion: false }, flags: {} },
  ])('options $options -> flags $flags', ({ options, flags }) => {
    expect(ownerReference(statefulSets, set, claim, options)).toStrictEqual({ ...web, ...flags });
  });

  test('object that names its kind -> the same reference', () => {
    const named = { ...set, apiVersion: 'apps/v1', kind: 'StatefulSet' };
    expect(ownerReference(statefulSets, named, claim)).toStrictEqual(web);
  });

  test.each<{ state: string; dependent: Dependent['metadata'] }>([
    { state: 'in a namespace', dependent: { name: 'data', namespace: 'shop' } },
    { state: 'in none', dependent: { name: 'data' } },
    { state: 'in an empty one', dependent: { name: 'data', namespace: '' } },
  ])('owner without namespace, dependent $state -> built', ({ dependent }) => {
    expect(ownerReference(nodes, node, { metadata: dependent })).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Node',
      name: 'node-1',
      uid: 'uid-node',
    });
  });
});

describe('what can be no owner is refused, and the error names it, the value and the way out', () => {
  const unstored = { metadata: { name: 'web', namespace: 'shop' } } as unknown as KubernetesObject;
  const nameless: ApiResource<KubernetesObject> = { ...statefulSets, kind: '' };
  const versionless: ApiResource<KubernetesObject> = { ...statefulSets, version: '' };

  test.each<{
    state: string;
    resource?: ApiResource<KubernetesObject>;
    owner?: KubernetesObject;
    dependent?: Dependent;
    message: string;
  }>([
    {
      state: 'no UID',
      owner: unstored,
      message: 'owner StatefulSet "shop/web": metadata.uid is undefined; give an object that the API server',
    },
    {
      state: 'empty UID',
      owner: stored({ name: 'web', uid: '' }),
      message: 'owner StatefulSet "shop/web": metadata.uid is ""',
    },
    {
      state: 'empty name',
      owner: stored({ name: '' }),
      message: 'owner StatefulSet "shop/": metadata.name is ""',
    },
    {
      state: 'no kind',
      resource: nameless,
      message: 'resource "statefulsets" of group "apps" has no kind',
    },
    {
      state: 'no version',
      resource: versionless,
      message: 'resource "statefulsets" of group "apps" has no version',
    },
    {
      state: 'object of another kind',
      owner: { ...set, apiVersion: 'apps/v1', kind: 'Deployment' },
      message: 'owner StatefulSet "shop/web" is of apps/v1 Deployment, and not of apps/v1 StatefulSet',
    },
    {
      state: 'object of another version',
      owner: { ...set, apiVersion: 'apps/v1beta2', kind: 'StatefulSet' },
      message: 'is of apps/v1beta2 StatefulSet, and not of apps/v1 StatefulSet; give the resource',
    },
    {
      state: 'dependent in another namespace',
      dependent: { metadata: { name: 'data', namespace: 'bank' } },
      message:
        'owner StatefulSet "shop/web": dependent "data" is in namespace "bank"; an owner must be in the namespace',
    },
    {
      state: 'dependent without namespace',
      dependent: { metadata: { name: 'pv-1' } },
      message: 'owner StatefulSet "shop/web": dependent "pv-1" has no namespace; set its metadata.namespace',
    },
    {
      state: 'dependent without namespace or name',
      dependent: { metadata: {} },
      message: 'dependent "" has no namespace',
    },
    {
      state: 'neither has a namespace, and the owner is of a kind that has',
      owner: stored({ name: 'web', namespace: '' }),
      dependent: { metadata: { name: 'pv-1', namespace: '' } },
      message: 'owner StatefulSet "web": dependent "pv-1" has no namespace',
    },
  ])('$state -> $message', ({ resource = statefulSets, owner = set, dependent = claim, message }) => {
    expect(() => ownerReference(resource, owner, dependent)).toThrow(message);
  });
});

describe('setting', () => {
  const controls = { ...web, controller: true, blockOwnerDeletion: true };
  const blocks = { ...web, blockOwnerDeletion: true };
  const otherControls = { ...other, controller: true };
  const predecessor = { ...web, uid: 'uid-web-before' };

  test.each<{
    state: string;
    references?: readonly OwnerReference[];
    reference: OwnerReference;
    change: OwnerReferenceChange;
  }>([
    { state: 'no list', reference: web, change: { kind: 'set', ownerReferences: [web] } },
    { state: 'empty list', references: [], reference: web, change: { kind: 'set', ownerReferences: [web] } },
    {
      state: 'another owner',
      references: [other],
      reference: controls,
      change: { kind: 'set', ownerReferences: [other, controls] },
    },
    {
      state: 'another controller',
      references: [other, { ...otherControls, uid: 'uid-third' }],
      reference: controls,
      change: { kind: 'taken', controller: { ...otherControls, uid: 'uid-third' } },
    },
    {
      state: 'another controller, ours is an owner',
      references: [web, otherControls],
      reference: controls,
      change: { kind: 'taken', controller: otherControls },
    },
    {
      state: 'another controller, owner wanted',
      references: [otherControls],
      reference: web,
      change: { kind: 'set', ownerReferences: [otherControls, web] },
    },
    {
      state: 'one of the same name, made before',
      references: [predecessor],
      reference: controls,
      change: { kind: 'set', ownerReferences: [predecessor, controls] },
    },
    {
      state: 'one of the same name, made before, controls',
      references: [{ ...predecessor, controller: true }],
      reference: controls,
      change: { kind: 'taken', controller: { ...predecessor, controller: true } },
    },
    { state: 'the same', references: [other, web], reference: web, change: { kind: 'present' } },
    {
      state: 'the same controller',
      references: [controls],
      reference: controls,
      change: { kind: 'present' },
    },
    {
      state: 'the same, flags said to be false',
      references: [{ ...web, controller: false, blockOwnerDeletion: false }],
      reference: web,
      change: { kind: 'present' },
    },
    {
      state: 'flags wanted to be false that are not said',
      references: [web],
      reference: { ...web, controller: false, blockOwnerDeletion: false },
      change: { kind: 'present' },
    },
    {
      state: 'controller, no flag wanted',
      references: [controls],
      reference: web,
      change: { kind: 'present' },
    },
    {
      state: 'owner, controller wanted',
      references: [web, other],
      reference: controls,
      change: { kind: 'set', ownerReferences: [controls, other] },
    },
    {
      state: 'owner, blocking wanted',
      references: [other, web],
      reference: blocks,
      change: { kind: 'set', ownerReferences: [other, blocks] },
    },
    {
      state: 'blocking, controller wanted that does not block',
      references: [blocks],
      reference: { ...web, controller: true },
      change: { kind: 'set', ownerReferences: [controls] },
    },
    {
      state: 'by a version that is older',
      references: [{ ...controls, apiVersion: 'apps/v1beta2' }, other],
      reference: web,
      change: { kind: 'set', ownerReferences: [controls, other] },
    },
    {
      state: 'by another kind and name',
      references: [{ ...web, kind: 'Set' }],
      reference: web,
      change: { kind: 'set', ownerReferences: [web] },
    },
    {
      state: 'by another name',
      references: [{ ...web, name: 'wob' }],
      reference: web,
      change: { kind: 'set', ownerReferences: [web] },
    },
  ])('$state -> $change.kind', ({ references, reference, change }) => {
    const metadata = {
      ...claim.metadata,
      ...(references === undefined ? {} : { ownerReferences: references }),
    };
    expect(setOwnerReference({ metadata }, reference)).toStrictEqual(change);
  });
});

const uid = fc.constantFrom<string[]>('uid-web', 'uid-a', 'uid-b', 'uid-c');
const anyReference = fc.record(
  {
    apiVersion: fc.constantFrom('v1', 'apps/v1'),
    kind: fc.constantFrom('StatefulSet', 'Pod'),
    name: fc.constantFrom('web', 'wob'),
    uid,
    controller: fc.boolean(),
    blockOwnerDeletion: fc.boolean(),
  },
  { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'], noNullPrototype: true },
);
/** As the API server takes them: each owner once, one controller at the most. */
const list = fc
  .uniqueArray(anyReference, { selector: (reference) => reference.uid })
  .filter((references) => references.filter(({ controller }) => controller === true).length <= 1);

describe('any owners', () => {
  const read = (references: readonly OwnerReference[]) =>
    stored(references.length === 0 ? {} : { ownerReferences: references });
  const owner = stored({ uid: 'uid-web' });

  test('set and patched -> owned, once, as wanted; the others stay; set again -> present', () => {
    fc.assert(
      fc.property(list, anyReference, (references, flags) => {
        const reference: OwnerReference = { ...flags, uid: 'uid-web' };
        const change = setOwnerReference(read(references), reference);
        fc.pre(change.kind === 'set');
        const after = applyJsonPatch(
          read(references),
          ownerReferencesPatch(read(references), change.ownerReferences),
        );
        expect(isOwnedBy(after, owner)).toBe(true);
        if (reference.controller === true) {
          expect(isControlledBy(after, owner)).toBe(true);
        }
        const foreign = (all: readonly OwnerReference[] = []) => all.filter(({ uid }) => uid !== 'uid-web');
        expect(foreign(after.metadata.ownerReferences)).toEqual(foreign(references));
        expect(after.metadata.ownerReferences).toHaveLength(foreign(references).length + 1);
        expect(setOwnerReference(after, reference)).toEqual({ kind: 'present' });
      }),
    );
  });

  test('one controller at the most before -> and after', () => {
    fc.assert(
      fc.property(list, anyReference, (references, reference) => {
        const change = setOwnerReference(read(references), reference);
        if (change.kind === 'set') {
          const controllers = change.ownerReferences.filter(({ controller }) => controller === true);
          expect(controllers.length).toBeLessThanOrEqual(1);
        }
        expect(change.kind === 'taken').toBe(
          reference.controller === true &&
            ![undefined, reference.uid].includes(controllerOf(read(references))?.uid),
        );
      }),
    );
  });

  test('patched -> these and no others, be it none', () => {
    fc.assert(
      fc.property(list, list, (before, wanted) => {
        const patch = ownerReferencesPatch(read(before), wanted);
        expect(applyJsonPatch(read(before), patch)).toEqual(read(wanted));
      }),
    );
  });

  test('changed since they were read -> refused', () => {
    fc.assert(
      fc.property(list, list, list, (before, now, wanted) => {
        fc.pre(JSON.stringify(before) !== JSON.stringify(now));
        const patch = ownerReferencesPatch(read(before), wanted);
        expect(() => applyJsonPatch(read(now), patch)).toThrow(PatchRefused);
      }),
    );
  });

  test('deleted and made again under the name -> refused', () => {
    const patch = ownerReferencesPatch(stored({ uid: 'uid-1' }), [web]);
    expect(() => applyJsonPatch(stored({ uid: 'uid-2' }), patch)).toThrow(PatchRefused);
  });

  test('none, and none wanted -> nothing is written', () => {
    expect(ownerReferencesPatch(stored(), [])).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/metadata/ownerReferences', value: null },
    ]);
  });
});
