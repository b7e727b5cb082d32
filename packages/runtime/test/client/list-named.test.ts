import { expect, test } from '@jest/globals';
import { persistentVolumeClaims } from '@holdfast/core';
import { listNamed, UnreadableObject, type ApiClient } from '@holdfast/runtime';

const claim = (name: string) => ({
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1' },
  spec: {},
});
const unreadable = (identity: { readonly name?: string; readonly namespace?: string }): UnreadableObject =>
  new UnreadableObject(identity, new Error('"spec" is no object'));

/** Returns the names that are yielded of a list with claims `a`, `b` and `c`, if `a` and `c` are looked for. */
async function yieldedBeside(problem: UnreadableObject | undefined): Promise<readonly string[]> {
  const client: Pick<ApiClient, 'listPages'> = {
    listPages: async function* (_resource, { namespace, onUnreadable }) {
      expect(namespace).toBe('ns');
      for (const page of [[claim('a'), claim('b')], [claim('c')]]) {
        yield await Promise.resolve({ metadata: { resourceVersion: '9' }, items: page as never[] });
        if (problem !== undefined) {
          onUnreadable?.(problem);
        }
      }
    },
  };
  const yielded: string[] = [];
  for await (const { metadata } of listNamed(client, persistentVolumeClaims, {
    namespace: 'ns',
    names: new Set(['a', 'c']),
  })) {
    yielded.push(metadata.name);
  }
  return yielded;
}

test.each([
  ['all objects can be read', undefined],
  ['one of another name can not', unreadable({ name: 'b', namespace: 'ns' })],
])('%s -> the named objects', async (_what, problem) => {
  expect(await yieldedBeside(problem)).toEqual(['a', 'c']);
});

test.each([
  ['a named object can not be read', unreadable({ name: 'c', namespace: 'ns' })],
  ['a named object has neither its shape nor its namespace', unreadable({ name: 'c' })],
  ['an object has neither its shape nor its name', unreadable({ namespace: 'ns' })],
])('%s -> refused', async (_what, problem) => {
  await expect(yieldedBeside(problem)).rejects.toBe(problem);
});
