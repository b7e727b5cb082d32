import { describe, expect, test } from '@jest/globals';
import type { PersistentVolume, VolumeAttachment } from '@holdfast/core';
import { createAttachmentList } from '../src/observe/attachment-list.ts';
import { slimVolumeAttachment } from '../src/slim.ts';
import { volume, type VolumeShape } from './objects.ts';

const [v, w] = ['v', 'w'].map((name) => volume({ name })) as [PersistentVolume, PersistentVolume];

const attachment = (volumeName: string, nodeName: string): VolumeAttachment => ({
  metadata: { name: `${volumeName}-${nodeName}`, uid: `${volumeName}-${nodeName}`, resourceVersion: '1' },
  spec: { attacher: 'd', nodeName, source: { persistentVolumeName: volumeName } },
});

test('three ask at once -> one list; those that ask while it is under way get a later one', async () => {
  const begun: PromiseWithResolvers<readonly VolumeAttachment[]>[] = [];
  const ask = createAttachmentList(async function* () {
    const list = Promise.withResolvers<readonly VolumeAttachment[]>();
    begun.push(list);
    yield* await list.promise;
  });
  const first = ask([v]);
  const late = [ask([v]), ask([w])];
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve([]);
  expect(await first).toStrictEqual([]);
  await new Promise(setImmediate);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve([attachment('v', 'n1'), attachment('v', 'n2')]);
  expect(await Promise.all(late)).toEqual([['n1', 'n2'], []]);
});

test('list fails -> those that asked get the error, and the next asks again', async () => {
  let isBroken = true;
  const ask = createAttachmentList(async function* () {
    await Promise.resolve();
    if (isBroken) {
      throw new Error('no answer');
    }
    yield attachment('v', 'n1');
  });
  const failing = [ask([v]), ask([v])];
  await expect(failing[0]).rejects.toThrow('no answer');
  await expect(failing[1]).rejects.toThrow('no answer');
  isBroken = false;
  expect(await ask([v])).toEqual(['n1']);
});

describe('attachment of a volume that a pod names by itself', () => {
  const inline = (driver: string, volumeHandle: string): VolumeAttachment => ({
    metadata: { name: 'inline', uid: 'inline', resourceVersion: '1' },
    spec: {
      attacher: driver,
      nodeName: 'n1',
      source: {
        inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver, volumeHandle, fsType: 'ext4' } },
      },
    },
  });

  test.each<{ name: string; attached: VolumeAttachment; shape: VolumeShape; nodes: readonly string[] }>([
    { name: 'the same handle', attached: inline('csi.example.com', 'handle'), shape: {}, nodes: ['n1'] },
    { name: 'another handle', attached: inline('csi.example.com', 'other'), shape: {}, nodes: [] },
    { name: 'another driver', attached: inline('other.example.com', 'handle'), shape: {}, nodes: [] },
    {
      name: 'the same disk, of an in-tree volume',
      attached: inline('ebs.csi.aws.com', 'vol-1'),
      shape: { source: { awsElasticBlockStore: { volumeID: 'aws://zone/vol-1' } } },
      nodes: ['n1'],
    },
    {
      name: 'a storage that is not known',
      attached: inline('csi.example.com', 'handle'),
      shape: { source: { iscsi: { iqn: 'iqn', lun: 0, targetPortal: 'p' } } },
      nodes: [],
    },
  ])('$name -> nodes $nodes', async ({ attached, shape, nodes }) => {
    const ask = createAttachmentList(async function* () {
      await Promise.resolve();
      yield slimVolumeAttachment.fromJson(attached);
    });
    expect(await ask([volume(shape)])).toEqual(nodes);
  });
});

describe('S2: attachment that names a volume of no name', () => {
  const named = (attacher: string, source: VolumeAttachment['spec']['source']): VolumeAttachment => ({
    metadata: { name: 'odd', uid: 'odd', resourceVersion: '1' },
    spec: { attacher, nodeName: 'n1', source },
  });
  const inline = (volumeHandle: string) => ({ csi: { driver: 'csi.example.com', volumeHandle } });

  test.each<{
    name: string;
    attached: VolumeAttachment;
    source?: NonNullable<VolumeShape['source']>;
    nodes: readonly string[];
  }>([
    {
      name: 'an empty name -> any volume of the attacher',
      attached: named('csi.example.com', { persistentVolumeName: '' }),
      nodes: ['n1'],
    },
    {
      name: 'an empty name, of another attacher -> none of this one',
      attached: named('other.example.com', { persistentVolumeName: '' }),
      nodes: [],
    },
    {
      name: 'an empty name, and a volume of a pod -> that one',
      attached: named('csi.example.com', { persistentVolumeName: '', inlineVolumeSpec: inline('handle') }),
      nodes: ['n1'],
    },
    {
      name: 'a volume of a pod with an empty handle -> any volume of its driver',
      attached: named('csi.example.com', { inlineVolumeSpec: inline('') }),
      nodes: ['n1'],
    },
    {
      name: 'nothing -> any volume of the attacher',
      attached: named('csi.example.com', {}),
      nodes: ['n1'],
    },
    {
      name: 'nothing, of another attacher -> none of this one',
      attached: named('other.example.com', {}),
      nodes: [],
    },
    {
      name: 'nothing, of the second driver for EBS -> any volume of EBS',
      attached: named('ebs.csi.eks.amazonaws.com', {}),
      source: { csi: { driver: 'ebs.csi.eks.amazonaws.com', volumeHandle: 'vol-1' } },
      nodes: ['n1'],
    },
  ])('$name', async ({ attached, source, nodes }) => {
    const ask = createAttachmentList(async function* () {
      await Promise.resolve();
      yield slimVolumeAttachment.fromJson(attached);
    });
    expect(await ask([volume(source === undefined ? {} : { source })])).toEqual(nodes);
  });
});

describe('S2: attachment of an odd shape', () => {
  const nodeName = 'n1';
  const attacher = 'csi.example.com';
  const other = { csi: { driver: attacher, volumeHandle: 'other' } };

  test.each<{ name: string; spec: unknown; nodes: readonly string[] }>([
    { name: 'no spec -> any volume', spec: undefined, nodes: ['unknown, of "odd"'] },
    {
      name: 'a node that is no text -> any volume of the attacher, on a node that is not known',
      spec: { attacher, nodeName: 7, source: {} },
      nodes: ['unknown, of "odd"'],
    },
    { name: 'an empty attacher -> any volume', spec: { attacher: '', nodeName, source: {} }, nodes: ['n1'] },
    { name: 'an attacher that is no text -> any volume', spec: { attacher: 7, nodeName }, nodes: ['n1'] },
    {
      name: 'an empty name, and another volume of a pod -> that one alone',
      spec: { attacher, nodeName, source: { persistentVolumeName: '', inlineVolumeSpec: other } },
      nodes: [],
    },
    {
      name: 'a name that is no text, and another volume of a pod -> any volume of the attacher',
      spec: { attacher, nodeName, source: { persistentVolumeName: 7, inlineVolumeSpec: other } },
      nodes: ['n1'],
    },
    {
      name: 'a volume of a pod that no CSI driver has -> none that is deleted here',
      spec: { attacher, nodeName, source: { inlineVolumeSpec: { nfs: { server: 's', path: '/' } } } },
      nodes: [],
    },
  ])('$name', async ({ spec, nodes }) => {
    const odd = { metadata: { name: 'odd', uid: 'odd', resourceVersion: '1' }, spec };
    const ask = createAttachmentList(async function* () {
      await Promise.resolve();
      yield odd as unknown as VolumeAttachment;
    });
    expect(await ask([volume()])).toStrictEqual(nodes);
  });
});

// Were the list copied for each that is added to it, they would take minutes.
test('200,000 attachments of one volume -> all their nodes, within the time of a test', async () => {
  const nodes = Array.from({ length: 200_000 }, (_, index) => `n${String(index)}`);
  const ask = createAttachmentList(async function* () {
    await Promise.resolve();
    yield* nodes.map((node) => attachment('v', node));
  });
  expect((await ask([v])).length).toBe(nodes.length);
});
