import { expect, test } from '@jest/globals';
import { volumeAttachments, type VolumeAttachment } from '@holdfast/core';
import { createProjection, listAny, UnreadableObject, type ApiClient } from '@holdfast/runtime';

const slim = createProjection(volumeAttachments, { spec: { nodeName: true } });
const good = {
  metadata: { name: 'good', uid: 'u', resourceVersion: '1' },
  spec: { attacher: 'csi', nodeName: 'node-1', source: {} },
};
const odd = { metadata: { name: 'odd', uid: 'u', resourceVersion: '1' }, spec: 'odd' };

/**
 * @param inJson what the list of one name answers, or that this can't be read either.
 * @param again what a second list of all has, in JSON.
 */
async function seenOf(
  problems: readonly UnreadableObject[],
  inJson: readonly object[] | UnreadableObject,
  again: readonly object[] | UnreadableObject = [],
) {
  const asked: (string | undefined)[] = [];
  const client: Pick<ApiClient, 'list' | 'listPages'> = {
    listPages: async function* (_resource, { onUnreadable, projection }) {
      if (projection === undefined) {
        if (again instanceof UnreadableObject) {
          onUnreadable?.(again);
        }
        const items = again instanceof UnreadableObject ? [] : again;
        yield await Promise.resolve({ metadata: { resourceVersion: '10' }, items: items as never[] });
        return;
      }
      problems.forEach((problem) => onUnreadable?.(problem));
      yield await Promise.resolve({ metadata: { resourceVersion: '9' }, items: [good as never] });
    },
    list: (_resource, { fieldSelector, projection, onUnreadable } = {}) => {
      expect(projection).toBeUndefined();
      asked.push(fieldSelector);
      if (inJson instanceof UnreadableObject) {
        onUnreadable?.(inJson);
      }
      return Promise.resolve({
        metadata: { resourceVersion: '9' },
        items: inJson instanceof UnreadableObject ? [] : (inJson as never[]),
      });
    },
  };
  const seen: VolumeAttachment[] = [];
  for await (const each of listAny(client, volumeAttachments, { projection: slim })) {
    seen.push(each);
  }
  return { seen, asked };
}

const problem = (name?: string): UnreadableObject =>
  new UnreadableObject(name === undefined ? {} : { name }, new Error('"spec" is no object'));
const known = (name: string) => ({ metadata: { name, uid: '', resourceVersion: '' } });

test.each([
  { what: 'all can be read', problems: [], inJson: [], seen: [good], asked: [] },
  {
    what: 'one can not -> as it comes in JSON',
    problems: [problem('odd')],
    inJson: [odd],
    seen: [good, odd],
    asked: ['metadata.name=odd'],
  },
  {
    what: 'one can not, and is gone by then -> left out',
    problems: [problem('odd')],
    inJson: [],
    seen: [good],
    asked: ['metadata.name=odd'],
  },
  {
    what: 'one can not, is not to be had by its name, and is listed still -> as it is listed',
    problems: [problem('odd')],
    inJson: [],
    again: [good, odd],
    seen: [good, odd],
    asked: ['metadata.name=odd'],
  },
  {
    what: 'one can not, is not to be had by its name, and is listed still, not to be read -> its name alone',
    problems: [problem('odd')],
    inJson: [],
    again: problem('odd'),
    seen: [good, known('odd')],
    asked: ['metadata.name=odd'],
  },
  {
    what: 'one can not, not in JSON either -> its name alone',
    problems: [problem('odd')],
    inJson: problem('odd'),
    seen: [good, known('odd')],
    asked: ['metadata.name=odd'],
  },
  {
    what: 'one can not, nor its name -> something without a name',
    problems: [problem()],
    inJson: [],
    seen: [good, known('')],
    asked: [],
  },
])('$what', async ({ problems, inJson, again, seen, asked }) => {
  expect(await seenOf(problems, inJson, again)).toEqual({ seen, asked });
});
