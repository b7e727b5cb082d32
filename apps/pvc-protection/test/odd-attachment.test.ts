import { expect, test } from '@jest/globals';
import {
  isTerminating,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
  type VolumeAttachment,
} from '@holdfast/core';
import {
  systemClock,
  UnreadableObject,
  type ApiClient,
  type List,
  type ListOptions,
  type Projected,
} from '@holdfast/runtime';
import { attachedNodes } from '../src/attached-nodes.ts';
import { decide } from '../src/decide.ts';
import { liveLists } from '../src/live-lists.ts';
import { createLiveLookups } from '../src/live-lookup.ts';
import { claim, pod, protection } from './objects.ts';

/** An API server whose attachments are these, whatever their shape, read as the client reads JSON. */
function serverWith(attachments: readonly object[]): Pick<ApiClient, 'list' | 'listPages'> {
  const list = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    { fieldSelector, projection, onUnreadable, look }: ListOptions & Projected<T> = {},
  ): Promise<List<T>> => {
    expect(resource.plural).toBe(volumeAttachments.plural);
    expect(look).toBeDefined();
    const items = attachments.flatMap((each, index) => {
      const name = `va-${String(index)}`;
      if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${name}`) {
        return [];
      }
      const object = {
        ...each,
        metadata: { name, uid: name, resourceVersion: '1' },
      } as KubernetesObject as T;
      try {
        return [projection === undefined ? object : projection.fromJson(object)];
      } catch (error) {
        const problem = new UnreadableObject({ name }, error);
        if (onUnreadable === undefined) {
          throw problem;
        }
        onUnreadable(problem);
        return [];
      }
    });
    return Promise.resolve({ metadata: { resourceVersion: '9' }, items });
  };
  return {
    list,
    listPages: async function* (resource, options) {
      yield await list(resource, options);
    },
  };
}

const attached = { spec: { attacher: 'csi', nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } } };

/** Which claims are held: of volume pv-1 or pv-2, with a terminated pod on node-1 or node-2. */
async function heldWith(attachments: readonly object[]): Promise<readonly string[]> {
  const held: string[] = [];
  for (const volume of ['pv-1', 'pv-2']) {
    for (const node of ['node-1', 'node-2']) {
      const subject = claim({ deleted: true, finalizers: [protection], volume });
      const { nodesAttachedTo } = createLiveLookups({
        claims: new Map([['ns/data', subject]]),
        isServed: isTerminating,
        clock: systemClock,
        ...liveLists(serverWith(attachments)),
      })(['ns/data']);
      const { nodes } = await nodesAttachedTo(subject, new AbortController().signal);
      const { kind } = decide({
        claim: subject,
        cachedPods: [],
        cachedNodes: new Set(),
        live: {
          claimUid: subject.metadata.uid,
          pods: [pod({ node, phase: 'Succeeded' })],
          nodes,
        },
        protect: true,
        waitForDetach: true,
      });
      if (kind === 'postpone') {
        held.push(`${volume} ${node}`);
      } else {
        expect(kind).toBe('removeFinalizer');
      }
    }
  }
  return held;
}

const all = ['pv-1 node-1', 'pv-1 node-2', 'pv-2 node-1', 'pv-2 node-2'];

test.each<{ what: string; odd: object; held: readonly string[] }>([
  { what: 'spec is missing', odd: {}, held: all },
  { what: 'spec is text', odd: { spec: 'odd' }, held: all },
  {
    what: 'node is no text',
    odd: { spec: { nodeName: 7, source: { persistentVolumeName: 'pv-1' } } },
    held: ['pv-1 node-1', 'pv-1 node-2'],
  },
  {
    what: 'node is missing',
    odd: { spec: { source: { persistentVolumeName: 'pv-1' } } },
    held: ['pv-1 node-1', 'pv-1 node-2'],
  },
  {
    what: 'node is empty',
    odd: { spec: { nodeName: '', source: { persistentVolumeName: 'pv-1' } } },
    held: ['pv-1 node-1', 'pv-1 node-2'],
  },
  { what: 'source is missing', odd: { spec: { nodeName: 'node-2' } }, held: ['pv-1 node-2', 'pv-2 node-2'] },
  {
    what: 'source is text',
    odd: { spec: { nodeName: 'node-2', source: 'odd' } },
    held: ['pv-1 node-2', 'pv-2 node-2'],
  },
  {
    what: 'source is empty',
    odd: { spec: { nodeName: 'node-2', source: {} } },
    held: ['pv-1 node-2', 'pv-2 node-2'],
  },
  {
    what: 'name of the volume is no text',
    odd: { spec: { nodeName: 'node-2', source: { persistentVolumeName: 7 } } },
    held: ['pv-1 node-2', 'pv-2 node-2'],
  },
  {
    what: "name of the volume is no text, beside a pod's own volume",
    odd: {
      spec: { nodeName: 'node-2', source: { persistentVolumeName: 7, inlineVolumeSpec: {} } },
    },
    held: ['pv-1 node-2', 'pv-2 node-2'],
  },
  ...[[], 'odd', 7, null].map((inlineVolumeSpec) => ({
    what: `a pod's own volume is ${JSON.stringify(inlineVolumeSpec)}`,
    odd: { spec: { nodeName: 'node-2', source: { inlineVolumeSpec } } },
    held: ['pv-1 node-2', 'pv-2 node-2'],
  })),
  {
    what: "source is a pod's own volume, and the name of a volume is null",
    odd: { spec: { nodeName: 'node-2', source: { persistentVolumeName: null, inlineVolumeSpec: {} } } },
    held: [],
  },
  {
    what: "source is a pod's own volume, which no claim has",
    odd: { spec: { nodeName: 'node-2', source: { inlineVolumeSpec: { csi: { driver: 'd' } } } } },
    held: [],
  },
  {
    what: 'its volume is another',
    odd: { spec: { nodeName: 'node-1', source: { persistentVolumeName: 'pv-3' } } },
    held: [],
  },
])('X2: attachment, $what -> holds $held', async ({ odd, held }) => {
  expect(await heldWith([odd])).toEqual(held);
  expect(await heldWith([odd, attached])).toEqual([...new Set(['pv-1 node-1', ...held])]);
});

test.each([
  {
    what: 'its source has null in place of both',
    source: { persistentVolumeName: null, inlineVolumeSpec: null },
    held: true,
  },
  {
    what: "its source is a pod's own volume, beside a name that is null",
    source: { persistentVolumeName: null, inlineVolumeSpec: {} },
    held: false,
  },
  { what: 'its source is null', source: null, held: true },
])('attachment as it came, $what -> might attach any volume: $held', async ({ source, held }) => {
  const odd = { spec: { nodeName: 'node-1', source } } as unknown as VolumeAttachment;
  const nodesOf = await attachedNodes(
    (async function* () {
      yield await Promise.resolve(odd);
    })(),
  );
  expect([...nodesOf('pv-1')]).toEqual(held ? ['node-1'] : []);
});
