import { describe, expect, test } from '@jest/globals';
import { statusPatch, type JsonPatch, type WithStatus } from '@holdfast/core';
import fc from 'fast-check';
import { applyJsonPatch, PatchRefused } from './apply-json-patch.ts';
import { stored } from './stored.ts';

const withStatus = (status?: object): WithStatus => ({
  ...stored({ generation: 3 }),
  ...(status === undefined ? {} : { status }),
});
const applied = (object: WithStatus, fields: object): WithStatus =>
  applyJsonPatch(object, statusPatch(object, fields) ?? []);

describe('statusPatch', () => {
  test.each<{ title: string; before?: object; fields: object; after: object }>([
    { title: 'none yet', fields: { ready: 1 }, after: { ready: 1 } },
    { title: 'empty', before: {}, fields: { ready: 1 }, after: { ready: 1 } },
    {
      title: 'another value',
      before: { ready: 1, phase: 'Up' },
      fields: { ready: 2 },
      after: { ready: 2, phase: 'Up' },
    },
    {
      title: 'one is undefined',
      before: { ready: 1, phase: 'Up' },
      fields: { ready: undefined },
      after: { phase: 'Up' },
    },
    { title: 'name with a slash', before: { 'a/b': 1 }, fields: { 'a/b': 2 }, after: { 'a/b': 2 } },
  ])('status: $title -> the fields that are named change, and no others', ({ before, fields, after }) => {
    expect(applied(withStatus(before), fields).status).toStrictEqual(after);
  });

  test.each<{ title: string; before: object; after: object }>([
    { title: 'another value', before: { a: 1 }, after: { a: 2 } },
    { title: 'one more', before: { a: 1 }, after: { a: 1, b: 2 } },
    { title: 'one less', before: { a: 1, b: 2 }, after: { a: 1 } },
    { title: 'none, where a list was', before: [], after: {} },
    { title: 'a list, where none were', before: {}, after: [] },
  ])('fields within a field: $title -> it is written whole', ({ before, after }) => {
    expect(applied(withStatus({ at: before }), { at: after }).status).toStrictEqual({ at: after });
  });

  test('list gets an element that is undefined, which JSON has as null -> written', () => {
    const patch = statusPatch(withStatus({ list: [] }), { list: [undefined] });
    expect(patch?.at(-1)).toEqual({ op: 'add', path: '/status/list', value: [undefined] });
  });

  test.each<{ title: string; before?: object; fields: object }>([
    {
      title: 'same values',
      before: { ready: 1, list: [{ a: 1, b: 2 }] },
      fields: { list: [{ b: 2, a: 1 }] },
    },
    {
      title: 'a part of them undefined',
      before: { at: { a: 1 } },
      fields: { at: { a: 1, b: undefined }, none: undefined },
    },
    { title: 'no fields', fields: {} },
    { title: 'no fields that are defined', fields: { ready: undefined } },
  ])('status says it already: $title -> no patch', ({ before, fields }) => {
    expect(statusPatch(withStatus(before), fields)).toBeUndefined();
  });

  test.each<{ title: string; change: (object: WithStatus) => WithStatus }>([
    { title: 'another of its name', change: (o) => ({ ...o, metadata: { ...o.metadata, uid: 'uid-2' } }) },
    { title: 'another specification', change: (o) => ({ ...o, metadata: { ...o.metadata, generation: 4 } }) },
    { title: 'the field by somebody else', change: (o) => ({ ...o, status: { ready: 5 } }) },
    { title: 'no status any more', change: ({ metadata }) => ({ metadata }) },
  ])('changed since it was read: $title -> refused', ({ change }) => {
    const before = withStatus({ ready: 1 });
    const patch = statusPatch(before, { ready: 2 }) ?? [];
    expect(() => applyJsonPatch(change(before), patch)).toThrow(PatchRefused);
  });

  test('another field of the status changed since -> taken, and that change stays', () => {
    const patch: JsonPatch = statusPatch(withStatus({ ready: 1 }), { ready: 2 }) ?? [];
    expect(applyJsonPatch(withStatus({ ready: 1, other: 1 }), patch).status).toEqual({ ready: 2, other: 1 });
  });

  test('object without a generation, as a ConfigMap -> none is tested', () => {
    const patch = statusPatch(stored(), { ready: 1 });
    expect(patch?.map(({ path }) => path)).toEqual(['/metadata/uid', '/status', '/status']);
  });

  test('any status, any fields -> says them all afterwards, and then there is nothing more to write', () => {
    // As they come from an API server: JSON has no -0.
    const value = fc.jsonValue().map((made): unknown => JSON.parse(JSON.stringify(made)));
    const status = fc.dictionary(
      fc.stringMatching(/^[a-z][a-zA-Z~/]{0,3}$/),
      value.filter((made) => made !== null),
    );
    fc.assert(
      fc.property(fc.option(status, { nil: undefined }), status, (before, fields) => {
        const after = applied(withStatus(before), fields);
        expect(after.status ?? {}).toEqual({ ...before, ...fields });
        expect(statusPatch(after, fields)).toBeUndefined();
      }),
    );
  });
});
