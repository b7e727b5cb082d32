import { expect, test } from '@jest/globals';
import type { VolumeAttachment } from '@holdfast/core';
import { createAttachmentList } from '../src/observe/attachment-list.ts';

const attachment = (volume: string, nodeName: string): VolumeAttachment => ({
  metadata: { name: `${volume}-${nodeName}`, uid: `${volume}-${nodeName}`, resourceVersion: '1' },
  spec: { attacher: 'd', nodeName, source: { persistentVolumeName: volume } },
});

test('three ask at once -> one list; those that ask while it is under way get a later one', async () => {
  const begun: PromiseWithResolvers<readonly VolumeAttachment[]>[] = [];
  const ask = createAttachmentList(async function* () {
    const list = Promise.withResolvers<readonly VolumeAttachment[]>();
    begun.push(list);
    yield* await list.promise;
  });
  const first = ask(['v']);
  const late = [ask(['v']), ask(['w'])];
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve([]);
  expect(await first).toEqual([]);
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
  const failing = [ask(['v']), ask(['v'])];
  await expect(failing[0]).rejects.toThrow('no answer');
  await expect(failing[1]).rejects.toThrow('no answer');
  isBroken = false;
  expect(await ask(['v'])).toEqual(['n1']);
});
