import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, type OwnerReference } from '@holdfast/core';
import { startApp } from '@holdfast/scenario';
import { startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Hand, type Policy, type Stage } from './stage.ts';
import { claim, foreignController, foreignOwner, plain, stock, toPod, toSet } from './snapshots.ts';
import { uninstallSteps } from '../src/uninstall.ts';
import { workloadsFlag } from '../src/workloads-flag.ts';

const kruise = (reference: OwnerReference): OwnerReference => ({
  ...reference,
  apiVersion: 'apps.kruise.io/v1beta1',
});
/** What a claim with these references is left with. */
const left = (references: readonly OwnerReference[], workloads = 'apps/v1/StatefulSet'): unknown => {
  const [step] = uninstallSteps(workloadsFlag.schema.parse(workloads));
  const operations = step?.takeBack(claim(references));
  if (operations === undefined) {
    return 'nothing is written';
  }
  const [guard, change] = operations;
  expect(guard).toEqual({ op: 'test', path: '/metadata/ownerReferences', value: references });
  return change?.op === 'replace'
    ? `${(change.value as readonly OwnerReference[]).map(({ kind }) => kind).join()} stays`
    : 'none is left';
};

describe('A1: owner references of claim data-web-1', () => {
  test.each([
    { name: 'to its set', references: [toSet()], expected: 'none is left' },
    { name: "to its ordinal's pod", references: [toPod()], expected: 'none is left' },
    { name: 'beside others', references: [foreignOwner, toSet()], expected: 'Backup stays' },
    {
      name: 'of another version of the kind',
      references: [toSet({ apiVersion: 'apps/v2' })],
      expected: 'none is left',
    },
    {
      name: 'to an earlier set of the name',
      references: [toSet({ uid: 'earlier' })],
      expected: 'none is left',
    },
    { name: "the stock controller's", references: [stock(toSet())], expected: 'nothing is written' },
    {
      name: "the stock controller's, to the pod",
      references: [stock(toPod())],
      expected: 'nothing is written',
    },
    { name: "a user's plain one", references: [plain(toSet())], expected: 'nothing is written' },
    {
      name: 'without blockOwnerDeletion',
      references: [{ ...plain(toSet()), controller: true }],
      expected: 'nothing is written',
    },
    {
      name: 'without controller',
      references: [{ ...plain(toSet()), blockOwnerDeletion: false }],
      expected: 'nothing is written',
    },
    {
      name: 'another controller',
      references: [{ ...foreignController, blockOwnerDeletion: false }],
      expected: 'nothing is written',
    },
    {
      name: 'to a set whose name it only ends with',
      references: [toSet({ name: 'eb' })],
      expected: 'nothing is written',
    },
    {
      name: 'to a set that leaves no template',
      references: [toSet({ name: 'data-web' })],
      expected: 'nothing is written',
    },
    {
      name: "to another ordinal's pod",
      references: [toPod({ name: 'web-11' })],
      expected: 'nothing is written',
    },
    {
      name: 'to a pod without an ordinal',
      references: [toPod({ name: '1' })],
      expected: 'nothing is written',
    },
    {
      name: 'to a kind that is not of --workloads',
      references: [kruise(toSet())],
      expected: 'nothing is written',
    },
  ])('$name -> $expected', ({ references, expected }) => {
    expect(left(references)).toEqual(expected);
  });

  test('to a further kind of --workloads -> removed', () => {
    const workloads = 'apps/v1/StatefulSet,apps.kruise.io/v1beta1/StatefulSet';
    expect(left([kruise(toSet())], workloads)).toBe('none is left');
  });
});

describe('A1: annotations of claim data-web-1', () => {
  const set = 'StatefulSet.apps/web/uid-of-web/uid-of-claim';
  test.each([
    {
      name: 'marked on scale-down',
      annotations: {
        'holdfast.dev/delete-after': '2099-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': 'uid-of-claim',
        'holdfast.dev/delete-after-scale-down': set,
      },
    },
    {
      name: 'marked with its deleted set',
      annotations: {
        'holdfast.dev/delete-after': '2099-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': 'uid-of-claim',
        'holdfast.dev/delete-after-workload': set,
      },
    },
    { name: 'part of a mark', annotations: { 'holdfast.dev/delete-after-workload': set } },
    { name: 'part of a mark', annotations: { 'holdfast.dev/delete-after-scale-down': set } },
    { name: 'tied', annotations: { 'holdfast.dev/deleted-with': set } },
    { name: 'tied to what can not be read', annotations: { 'holdfast.dev/deleted-with': '' } },
    {
      name: 'marked and tied',
      annotations: {
        'holdfast.dev/delete-after': '2099-01-01T00:00:00Z',
        'holdfast.dev/delete-after-uid': 'uid-of-claim',
        'holdfast.dev/delete-after-scale-down': set,
        'holdfast.dev/deleted-with': set,
      },
    },
    { name: "others' annotations alone", annotations: { 'example.com/other': 'stays' } },
  ])('$name -> ours go, tested, and no other', ({ annotations }) => {
    const { metadata } = claim();
    const marked = { metadata: { ...metadata, annotations: { ...annotations, 'example.com/own': 'stays' } } };
    const operations = uninstallSteps(workloadsFlag.schema.parse('apps/v1/StatefulSet')).flatMap(
      ({ takeBack }) => takeBack(marked) ?? [],
    );
    expect(operations).toEqual(
      Object.entries(annotations)
        .filter(([name]) => name.startsWith('holdfast.dev/'))
        .flatMap(([name, value]) => {
          const path = `/metadata/annotations/${name.replace('/', '~1')}`;
          return [
            { op: 'test', path, value },
            { op: 'remove', path },
          ];
        }),
    );
  });
});

describe('A1: --uninstall', () => {
  let plane: EmbeddedControlPlane;
  let stage: Stage;
  let hand: Hand;

  beforeAll(async () => {
    plane = await startEmbeddedControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    stage = await openStage(plane);
    hand = handOf(stage, await stage.namespace());
  }, 60_000);

  afterAll(async () => {
    await stage.close();
    await plane.stop();
  }, 60_000);

  const uninstall = async (...flags: readonly string[]) => {
    plane.apiServer.requests.clear();
    const process = startApp('statefulset-pvc-retention', [
      '--uninstall',
      `--kubeconfig=${stage.kubeconfigFile}`,
      ...flags,
    ]);
    const { code } = await process.exit;
    const lines = process
      .stderr()
      .concat(process.stdout())
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return {
      code,
      taken: lines.filter(({ msg }) => msg === 'Taken back'),
      patches: plane.apiServer.requests.all.filter(
        ({ verb, resource }) => verb === 'patch' && resource === 'persistentvolumeclaims',
      ).length,
    };
  };

  test('claims owned, owned by a pod, marked, of others -> ours is taken back and counted; again -> nothing is written', async () => {
    const policy: Policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const ours = await stage.startController({ featureGates: 'DeletionGracePeriod=true' });
    const { uid } = (await hand.createSet({ replicas: 2, policy })).metadata;
    await hand.createClaim('data-web-0');
    await hand.owned('data-web-0', 'StatefulSet web*');
    const annotations = { 'holdfast.dev/scale-down-grace': '24h' };
    const slow = await hand.createSet({ name: 'slow', replicas: 0, policy, annotations });
    await ours.stop();
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid, controller: true };
    await hand.createClaim('data-web-1', [{ ...owner, blockOwnerDeletion: true }]);
    const { metadata } = await hand.createClaim('data-slow-0', [
      { ...owner, name: 'slow', uid: slow.metadata.uid, blockOwnerDeletion: false },
    ]);
    await stage.client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-slow-0' }, [
      {
        op: 'add',
        path: '/metadata/annotations',
        value: {
          'holdfast.dev/delete-after': '2099-01-01T00:00:00Z',
          'holdfast.dev/delete-after-uid': metadata.uid,
          'example.com/other': 'stays',
        },
      },
    ]);

    const first = await uninstall();
    expect(first).toMatchObject({
      code: 0,
      patches: 3,
      taken: [
        { what: 'owner references of claims', takenBack: 2, refused: 0 },
        { what: 'annotation holdfast.dev/delete-after of claims', takenBack: 1, refused: 0 },
        { what: 'annotation holdfast.dev/deleted-with of claims', takenBack: 0, refused: 0 },
      ],
    });
    expect(await hand.ownersOf('data-web-0')).toStrictEqual([]);
    expect(await hand.ownersOf('data-web-1')).toEqual(['StatefulSet web*']);
    expect(await hand.ownersOf('data-slow-0')).toStrictEqual([]);
    const slowClaim = await hand.findClaim('data-slow-0');
    expect(slowClaim?.metadata.annotations).toEqual({ 'example.com/other': 'stays' });

    expect(await uninstall()).toMatchObject({
      code: 0,
      patches: 0,
      taken: [{ takenBack: 0 }, { takenBack: 0 }, { takenBack: 0 }],
    });
  }, 60_000);
});
