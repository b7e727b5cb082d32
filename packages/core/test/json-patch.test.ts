import { expect, test } from '@jest/globals';
import { guardedPatch, patchText, pointer, testAbsent } from '@holdfast/core';
import fc from 'fast-check';
import { applyJsonPatch, PatchRefused } from './apply-json-patch.ts';
import { stored } from './stored.ts';

test.each([
  { segments: [], text: '' },
  { segments: ['metadata', 'uid'], text: '/metadata/uid' },
  { segments: ['spec', 'volumes', 0], text: '/spec/volumes/0' },
  { segments: ['metadata', 'annotations', 'example.com/a'], text: '/metadata/annotations/example.com~1a' },
  { segments: ['a~b'], text: '/a~0b' },
  { segments: ['~1'], text: '/~01' },
  { segments: [''], text: '/' },
])('$segments -> "$text"', ({ segments, text }) => {
  expect(pointer(...segments)).toBe(text);
});

test('any key -> its pointer finds it and no other', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~0', 'a/b', '/~'));
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1 }), fc.nat(), (keys, place) => {
      const chosen = keys[place % keys.length] ?? '';
      const annotations = Object.fromEntries(keys.map((each) => [each, 'old']));
      const path = pointer('metadata', 'annotations', chosen);
      const after = applyJsonPatch(stored({ annotations }), [{ op: 'replace', path, value: 'new' }]);
      const changed = Object.fromEntries(keys.map((each) => [each, each === chosen ? 'new' : 'old']));
      expect(after.metadata.annotations).toEqual(changed);
    }),
  );
});

test('the object that was read -> the operations follow the test of its UID', () => {
  const object = stored({ labels: { a: '1' } });
  const operations = [{ op: 'remove', path: '/metadata/labels/a' }] as const;
  const patch = guardedPatch(object, operations);
  expect(patch).toEqual([{ op: 'test', path: '/metadata/uid', value: 'uid-1' }, ...operations]);
  expect(applyJsonPatch(object, patch).metadata.labels).toEqual({});
});

test('a later object of the same name -> refused', () => {
  const patch = guardedPatch(stored({ uid: 'uid-1' }), []);
  expect(() => applyJsonPatch(stored({ uid: 'uid-2' }), patch)).toThrow(PatchRefused);
});

test.each([undefined, ''])(
  'object without a UID (%j) -> refused: a guard without a value would never hold',
  (uid) => {
    expect(() => guardedPatch(stored({ uid } as { uid: string }), [])).toThrow(
      'there is no guard for an object without metadata.uid; give an object that the API server has stored',
    );
  },
);

test.each(['test', 'add', 'replace'] as const)(
  '%s of undefined -> refused: the API server would take it for null, and clear the field',
  (op) => {
    expect(() =>
      patchText([
        { op: 'remove', path: '/data' },
        { op, path: '/data/a', value: undefined },
        { op, path: '/data/b', value: undefined },
      ]),
    ).toThrow(`the operation "${op}" of /data/a has no value; null means that nothing is there`);
  },
);

test('testAbsent -> holds where nothing is, fails where something is', () => {
  const patch = [testAbsent('/metadata/labels')];
  expect(applyJsonPatch(stored(), patch)).toEqual(stored());
  expect(() => applyJsonPatch(stored({ labels: {} }), patch)).toThrow(PatchRefused);
});

// Each was answered so by kube-apiserver 1.36.3: a test of the annotation holds when it is written like this, and not
// otherwise.
test.each([
  { value: '<a&b>', text: String.raw`"\u003ca\u0026b\u003e"` },
  { value: '\u2028\u2029', text: String.raw`"\u2028\u2029"` },
  { value: '\b\f\n"\\', text: String.raw`"\b\f\n\"\\"` },
  { value: '\x7fé', text: '"\x7fé"' },
  { value: [{ name: 'R&D' }], text: String.raw`[{"name":"R\u0026D"}]` },
])('a test of $value -> sent as Go writes it', ({ value, text }) => {
  const sent = patchText([{ op: 'test', path: '/a', value }]);
  expect(sent).toBe(`[{"op":"test","path":"/a","value":${text}}]`);
  expect(JSON.parse(sent)).toEqual([{ op: 'test', path: '/a', value }]);
});
