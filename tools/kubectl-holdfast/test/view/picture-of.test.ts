import { describe, expect, test } from '@jest/globals';
import { parseFeatureGates, type Pod } from '@holdfast/core';
import { gates } from '@holdfast/pvc-protection/decide';
import type { Group, Item } from '../../src/view/model/picture.ts';
import { pictureOf, type Seen } from '../../src/view/picture-of.ts';
import { byConfigMap, byPod, bySet, claimOf, namespace, podOf, setOf, volumeOf } from '../objects.ts';
import { attachmentOf, classOf, manyClaims, markedFor, seenOf, story } from './seen.ts';

const groupsOf = (more: Partial<Seen>): readonly Group[] => pictureOf(seenOf(more));

function only(more: Partial<Seen>): Group {
  const groups = groupsOf(more);
  expect(groups).toHaveLength(1);
  const [group] = groups;
  if (group === undefined) {
    throw new Error('no group');
  }
  return group;
}

const linksTo = ({ links }: Group, id: string) =>
  links.filter(({ to }) => to === id).map(({ from, kind }) => `${from} ${kind}`);
const itemOf = ({ items }: Group, id: string): Item | undefined => items.find((each) => each.id === id);

const claim = claimOf(0, { volumeName: 'pv-1' });

describe('pod and claim', () => {
  test.each([
    ['runs', podOf(0), [claim], ['pod web-0 holds']],
    ['bound to no node', podOf(0, { node: '' }), [claim], ['pod web-0 names']],
    ['ended, stock controller', podOf(0, { phase: 'Succeeded' }), [claim], ['pod web-0 holds']],
    [
      'owns it and runs',
      podOf(0),
      [claimOf(0, { owners: [byPod(0)] })],
      ['pod web-0 owns', 'pod web-0 holds'],
    ],
    ['of another claim', podOf(1), [claim], []],
  ])('pod %s -> %#', (_, pod, claims, links) => {
    const [group] = groupsOf({ claims, pods: [pod] });
    expect(linksTo(group ?? { id: '', title: '', items: [], links: [] }, 'claim data-web-0')).toEqual(links);
  });

  test('ended, Holdfast at work in the namespace -> named only', () => {
    const at = (of: string) => (of === namespace ? parseFeatureGates(gates, '') : undefined);
    const group = only({ claims: [claim], pods: [podOf(0, { phase: 'Succeeded' })], protection: at });
    expect(linksTo(group, 'claim data-web-0')).toEqual(['pod web-0 names']);
  });

  test('ended, attachments not to be read, Holdfast at work -> it might hold it, which is said', () => {
    const group = only({
      ...{ claims: [claim], pods: [podOf(0, { phase: 'Succeeded' })], attachments: undefined },
      protection: () => parseFeatureGates(gates, ''),
    });
    expect(group.links.find(({ to }) => to === 'claim data-web-0')).toMatchObject({
      kind: 'holds',
      words:
        'pod web-0 holds claim data-web-0: it ended, and whether the volume is still attached could not be read',
    });
  });

  test("pod of the claim's name in another namespace -> not drawn", () => {
    const pod = podOf(0);
    const elsewhere = { ...pod, metadata: { ...pod.metadata, namespace: 'elsewhere' } };
    expect(itemOf(only({ claims: [claim], pods: [elsewhere] }), 'pod web-0')).toBeUndefined();
  });

  test('volumes of a pod that can not be read -> the pod is left out, and all others drawn', () => {
    const odd = {
      ...podOf(0),
      spec: { containers: [], volumes: [{ name: 'a', persistentVolumeClaim: {} }] },
    };
    const group = only({ claims: [claim], pods: [odd as unknown as Pod, podOf(0, { name: 'reader' })] });
    expect(linksTo(group, 'claim data-web-0')).toEqual(['pod reader holds']);
  });

  test('a pod of two groups -> in both', () => {
    const other = {
      ...claimOf(0),
      metadata: { ...claimOf(0).metadata, name: 'scratch', uid: 'uid-of-scratch' },
    };
    const pod: Pod = {
      ...podOf(0),
      spec: {
        containers: [],
        nodeName: 'node-1',
        volumes: ['data-web-0', 'scratch'].map((claimName) => ({
          name: claimName,
          persistentVolumeClaim: { claimName },
        })),
      },
    };
    const groups = groupsOf({ sets: [setOf()], claims: [claim, other], pods: [pod] });
    expect(groups.map((group) => [group.id, itemOf(group, 'pod web-0') !== undefined])).toEqual([
      ['shop/web', true],
      ['shop/', true],
    ]);
  });
});

describe('set', () => {
  test.each([
    ['owns the claim', claimOf(0, { owners: [bySet] }), ['set web owns']],
    ['has a template of its name', claimOf(0), ['set web names']],
  ])('%s -> %#', (_, each, links) => {
    const group = only({ sets: [setOf()], claims: [each] });
    expect(group.id).toBe('shop/web');
    expect(linksTo(group, 'claim data-web-0')).toEqual(links);
  });

  test('controls a pod -> owns it, once', () => {
    const group = only({ sets: [setOf()], claims: [claim], pods: [podOf(0)] });
    expect(linksTo(group, 'pod web-0')).toEqual(['set web owns']);
  });

  test('claim of an ordinal, no such set -> among what is of no set', () => {
    expect(only({ claims: [claim] })).toMatchObject({ id: 'shop/', title: 'shop: of no set' });
  });

  test('set without templates, pod without claims -> not drawn', () => {
    const set = setOf();
    const bare = { ...set, spec: { ...set.spec, volumeClaimTemplates: [] } } as typeof set;
    expect(groupsOf({ sets: [bare], pods: [podOf(0)] })).toStrictEqual([]);
  });

  test('claim owned by what is not drawn -> said', () => {
    const group = only({ claims: [claimOf(0, { owners: [byConfigMap(false)] })] });
    expect(itemOf(group, 'claim data-web-0')?.notes).toContain(
      'ConfigMap backup owns it: the claim goes with it',
    );
  });
});

describe('volume', () => {
  const protectedVolume = volumeOf('Delete', { finalizers: ['kubernetes.io/pv-protection'] });
  test.each([
    ['bound, protected', [protectedVolume], ['claim data-web-0 holds'], 'Bound, policy Delete'],
    ['bound, not protected', [volumeOf('Delete')], ['claim data-web-0 names'], 'Bound, policy Delete'],
    ['gone', [], ['claim data-web-0 names'], 'is not there', 'none: there is no volume pv-1'],
    [
      'not to be read',
      undefined,
      ['claim data-web-0 names'],
      'could not be read',
      'in pv-1, which could not be read',
    ],
  ])('%s -> %#', (_, volumes, links, state, data = 'deleted with pv-1') => {
    const group = only({ claims: [claim], volumes });
    expect(group.links.find(({ to }) => to === 'volume pv-1')?.words).toContain(`its data is ${data}`);
    expect(linksTo(group, 'volume pv-1')).toEqual(links);
    expect(itemOf(group, 'volume pv-1')?.state).toBe(state);
  });

  test('bound to another claim than names it -> not held by that one, and whose it is said', () => {
    const other = claimOf(1, { volumeName: 'pv-1' });
    const group = only({ claims: [claim, other], volumes: [protectedVolume] });
    expect(linksTo(group, 'volume pv-1')).toEqual(['claim data-web-0 holds', 'claim data-web-1 names']);
    expect(group.links.find(({ from }) => from === 'claim data-web-1')?.words).toBe(
      'claim data-web-1 names volume pv-1: it is bound to another claim, shop/data-web-0',
    );
  });

  test('released, named by a claim of another namespace -> where its own claim was, and that this is gone, all the same', () => {
    const own = claimOf(0, { volumeName: 'pv-1', phase: 'Pending' });
    const elsewhere = { ...own, metadata: { ...own.metadata, namespace: 'elsewhere', uid: 'another' } };
    const groups = groupsOf({
      claims: [elsewhere],
      volumes: [volumeOf('Retain', {}, { phase: 'Released' })],
      namespace: undefined,
    });
    expect(groups.map(({ id }) => id)).toEqual(['elsewhere/', 'shop/']);
    expect(groups.map((group) => itemOf(group, 'volume pv-1')?.notes[0])).toEqual([
      'Its claim was shop/data-web-0, which is not there',
      'Its claim was shop/data-web-0, which is not there',
    ]);
  });

  test('its data goes with the claim -> said beside the line', () => {
    const group = only({ claims: [claim], volumes: [protectedVolume] });
    expect(group.links.find(({ to }) => to === 'volume pv-1')?.words).toBe(
      'claim data-web-0 holds volume pv-1: it is bound to it; when the claim is gone, its data is deleted with pv-1',
    );
  });

  test.each([
    ["was a set's", { sets: [setOf()] }, 'shop/web'],
    ['was of no set', {}, 'shop/'],
  ])('released, its claim %s -> there', (_, more, id) => {
    const group = only({ volumes: [volumeOf('Retain', {}, { phase: 'Released' })], ...more });
    expect(group.id).toBe(id);
    expect(itemOf(group, 'volume pv-1')?.notes).toContain(
      'Its claim was shop/data-web-0, which is not there',
    );
  });

  test('of another namespace, or of none -> only where all namespaces are shown', () => {
    const volume = volumeOf('Retain');
    const free = {
      ...volume,
      spec: { persistentVolumeReclaimPolicy: 'Retain' },
      status: { phase: 'Available' },
    };
    expect(groupsOf({ volumes: [volume, free], namespace: 'elsewhere' })).toStrictEqual([]);
    expect(groupsOf({ volumes: [free], namespace: undefined }).map(({ title }) => title)).toEqual([
      'volumes of no claim',
    ]);
  });

  test('attached -> said; attachments not to be read -> said', () => {
    const notes = (attachments: Seen['attachments']) =>
      itemOf(only({ claims: [claim], volumes: [volumeOf('Delete')], attachments }), 'volume pv-1')?.notes;
    expect(notes([attachmentOf('pv-1')])).toEqual(['It is attached to node node-1']);
    expect(notes(undefined)).toEqual(['Whether it is attached to a node could not be read']);
  });
});

describe('class', () => {
  test.each([
    ['there, the default', [classOf('fast', true)], 'disks.example.com, the default'],
    ['there', [classOf('fast')], 'disks.example.com'],
    ['not there', [], 'is not there'],
    ['not to be read', undefined, 'could not be read'],
  ])('%s -> %#', (_, classes, state) => {
    const group = only({ claims: [claimOf(0, { className: 'fast', phase: 'Pending' })], classes });
    expect(itemOf(group, 'class fast')?.state).toBe(state);
    expect(linksTo(group, 'class fast')).toEqual(['claim data-web-0 names']);
  });

  test.each([
    ['no default', [], 'Pending, waits for a class: none is the default'],
    ['a default', [classOf('fast', true)], 'Pending, waits for class fast'],
  ])('claim without a class, %s -> said', (_, classes, state) => {
    const group = only({ claims: [claimOf(0, { phase: 'Pending' })], classes });
    expect(itemOf(group, 'claim data-web-0')?.state).toBe(state);
  });
});

describe('going', () => {
  test.each([
    ['a finalizer', claimOf(0, { deletedAt: '2026-03-01T11:00:00Z' }), 'kubernetes.io/pvc-protection'],
    ['nothing', claimOf(0, { deletedAt: '2026-03-01T11:00:00Z', finalizers: [] }), 'nobody'],
  ])('deleted, %s left -> held by it', (_, each, heldBy) => {
    expect(itemOf(only({ claims: [each] }), 'claim data-web-0')).toMatchObject({
      ...{ deletedAt: '2026-03-01T11:00:00Z', heldBy },
    });
  });

  test.each([
    ['of its own', '2026-03-01T12:30:00Z', Date.parse('2026-03-01T12:30:00Z')],
    ['of a time that can not be read', 'tomorrow', undefined],
  ])('mark %s -> when it goes, and how it is kept', (_, time, due) => {
    const each = claimOf(0, { annotations: markedFor('uid-of-data-web-0', time) });
    expect(itemOf(only({ claims: [each] }), 'claim data-web-0')?.mark).toEqual({
      ...{ due, because: 'web was scaled down' },
      keep: 'kubectl annotate pvc data-web-0 -n shop holdfast.dev/delete-after-',
    });
  });

  test('mark, its controller waits or is not at work -> no sooner, and a note says why', () => {
    const each = claimOf(0, { annotations: markedFor('uid-of-data-web-0', '2026-03-01T12:30:00Z') });
    const time = Date.parse('2026-03-01T12:45:00Z');
    const waiting = { absent: undefined, wait: { kind: 'until', time } } as const;
    const idle = { absent: 'no lease', wait: { kind: 'none' } } as const;
    const drawnBy = (keeper: typeof waiting | typeof idle) =>
      itemOf(
        only({ claims: [each], keepers: { ofClaims: () => keeper, ofVolume: () => keeper } }),
        'claim data-web-0',
      );
    expect(drawnBy(waiting)?.mark).toMatchObject({ due: time });
    expect(drawnBy(idle)).toMatchObject({
      mark: { due: Date.parse('2026-03-01T12:30:00Z'), isEarliest: true },
      notes: expect.arrayContaining([
        'Its undo window: statefulset-pvc-retention is not at work: no lease',
      ]) as unknown,
    });
  });

  test('mark of an object that had the name before -> none', () => {
    const each = claimOf(0, { annotations: markedFor('uid-of-another', '2026-03-01T12:30:00Z') });
    expect(itemOf(only({ claims: [each] }), 'claim data-web-0')?.mark).toBeUndefined();
  });
});

test('any picture -> each line joins two boxes of its group, and no two boxes have an ID in common', () => {
  for (const seen of [
    story('2026-03-01T12:30:00Z'),
    manyClaims(20),
    { ...manyClaims(3), volumes: undefined },
  ]) {
    for (const { items, links } of pictureOf(seen)) {
      const ids = items.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(links.filter(({ from, to }) => !ids.includes(from) || !ids.includes(to))).toStrictEqual([]);
    }
  }
});
