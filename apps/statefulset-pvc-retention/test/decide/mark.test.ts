import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim } from '@holdfast/core';
import { isOlderMark, markAnnotations, markId, markOf } from '../../src/decide/mark.ts';
import { claim, facts, noon, snapshot, toSet } from '../snapshots.ts';
import { decided } from './decided.ts';

const workload = facts({ whenDeleted: 'Delete', whenScaled: 'Delete', wanted: false, grace: 60_000 });
const past = '2026-01-01T11:59:59Z';

describe('mark of a claim that is due and unused', () => {
  test.each([
    { name: 'written for another claim', mark: past, uid: 'uid-before-the-backup' },
    { name: 'written for no claim', mark: past, uid: '' },
    { name: 'no time', mark: 'tomorrow', uid: 'uid-of-claim' },
    { name: 'a time that is guessed at', mark: '2025', uid: 'uid-of-claim' },
    { name: 'a time with words after it', mark: `${past} (noon)`, uid: 'uid-of-claim' },
    { name: 'no day there is', mark: '2025-13-41T11:59:59Z', uid: 'uid-of-claim' },
    { name: 'a day that its month does not have', mark: '2025-02-30T11:59:59Z', uid: 'uid-of-claim' },
  ])('S4: $name -> void, taken away, the claim is kept', ({ mark, uid }) => {
    const given = claim([toSet()], { mark, markedUid: uid });
    for (const pod of [undefined, { uid: 'uid-of-web-1', ofWorkload: true }]) {
      expect(decided(snapshot({ claim: given, workload, pod, now: noon })).kind).toBe('unmark');
    }
    // And then nothing but the Event.
    expect(decided(snapshot({ claim: claim([toSet()]), workload, pod: undefined }))).toMatchObject({
      reason: 'ScaleDownMissed',
    });
  });

  // The last is of the day before in UTC.
  test.each([past, '2026-01-01T11:59:59.250Z', '2026-01-01T13:59:59+02:00', '2026-01-01T00:30:00+02:00'])(
    'written for this claim, %s -> the claim is deleted',
    (mark) => {
      const given = claim([toSet()], { mark });
      expect(decided(snapshot({ claim: given, workload, pod: undefined }))).toMatchObject({
        kind: 'deleteClaim',
        reason: 'GraceOver',
      });
    },
  );
});

describe('mark whose time was written again by others, such as a tool that has it in Git', () => {
  const now = Date.parse(past) + 1_000;
  const written = (deleteAfter: string): Readonly<Record<string, string>> =>
    markAnnotations({
      claim: claim(),
      deleteAfter,
      workload: { kind: 'StatefulSet.apps', name: 'web', uid: 'uid-of-web' },
      reason: 'ScaledDown',
    });
  const marked = (annotations: Readonly<Record<string, string>>) => {
    const { metadata, ...rest } = claim([toSet()]);
    return { ...rest, metadata: { ...metadata, annotations } };
  };
  const own = '2026-01-01T13:00:00.000Z';

  test.each([
    { name: 'the time of an earlier scale-down', time: past, until: Date.parse(own) },
    { name: 'a later time', time: '2026-01-01T14:00:00Z', until: Date.parse('2026-01-01T14:00:00Z') },
    { name: 'its own', time: own, until: Date.parse(own) },
  ])('$name -> the window of this scale-down is not shortened', ({ time, until }) => {
    const given = marked({ ...written(own), 'holdfast.dev/delete-after': time });
    const decide = (at: number) =>
      decided(snapshot({ claim: given, workload, pod: undefined, now: at, serverNow: at }));
    expect(decide(now)).toMatchObject({ kind: 'wait' });
    expect(decide(until - 1)).toMatchObject({ kind: 'wait', until });
    expect(decide(until)).toMatchObject({ kind: 'deleteClaim' });
  });

  test('the time alone, before the claim is marked -> void, taken away, the claim is kept', () => {
    const given = marked({ 'holdfast.dev/delete-after': past });
    expect(decided(snapshot({ claim: given, workload, pod: undefined, now }))).toMatchObject({
      kind: 'unmark',
      what: 'mark',
    });
  });

  test.each(['tomorrow', '', '2026-02-30T12:00:00Z', `${past}/`])(
    'the time that it is bound to is "%s" -> void, taken away, the claim is kept',
    (bound) => {
      const value = `StatefulSet.apps/web/uid-of-web/uid-of-claim/${bound}`;
      const given = marked({ ...written(past), 'holdfast.dev/delete-after-scale-down': value });
      expect(markOf(given)).toEqual({ kind: 'void' });
    },
  );
});

describe('mark of a scale-down that is replaced', () => {
  const bound = (value: string | undefined) => {
    const { metadata, ...rest } = claim();
    const annotations = value === undefined ? {} : { 'holdfast.dev/delete-after-scale-down': value };
    return { ...rest, metadata: { ...metadata, annotations } };
  };
  const tie = 'StatefulSet.apps/web/uid-of-web/uid-of-claim';
  const first = '2026-01-01T12:00:00Z';
  const second = '2026-01-01T13:00:00Z';

  test.each([
    { name: 'by an earlier one', before: `${tie}/${second}`, after: `${tie}/${first}`, older: true },
    { name: 'by one of an earlier release', before: `${tie}/${second}`, after: tie, older: true },
    { name: 'by a later one', before: `${tie}/${first}`, after: `${tie}/${second}`, older: false },
    { name: 'by itself', before: `${tie}/${first}`, after: `${tie}/${first}`, older: false },
    { name: 'one of an earlier release by itself', before: tie, after: tie, older: false },
    { name: 'by none', before: `${tie}/${second}`, after: undefined, older: false },
    { name: 'none by one', before: undefined, after: `${tie}/${first}`, older: false },
    {
      name: 'by one of another set',
      before: `${tie}/${second}`,
      after: `StatefulSet.apps/web/uid-of-another/uid-of-claim/${first}`,
      older: false,
    },
  ])('$name -> older: $older', ({ before, after, older }) => {
    expect(isOlderMark(bound(before), bound(after))).toBe(older);
  });

  test.each([
    { name: 'by an earlier one of another set', before: second, after: first, older: true },
    { name: 'by a later one of another set', before: first, after: second, older: false },
  ])('of a deletion, $name -> older: $older', ({ before, after, older }) => {
    const ofDeletion = (uid: string, deleteAfter: string): PersistentVolumeClaim => {
      const { metadata } = claim();
      const workload = { kind: 'StatefulSet.apps', name: 'web', uid };
      const reason = 'DeletedWithWorkload';
      const annotations = markAnnotations({ claim: claim(), deleteAfter, workload, reason });
      return { metadata: { ...metadata, annotations } };
    };
    expect(isOlderMark(ofDeletion('uid-of-web', before), ofDeletion('uid-of-another', after))).toBe(older);
  });
});

describe('parts of a mark', () => {
  const due = ['holdfast.dev/delete-after', past];
  const uid = ['holdfast.dev/delete-after-uid', 'uid-of-claim'];
  const deleted = ['holdfast.dev/delete-after-workload', 'StatefulSet.apps/web/uid-of-web/uid-of-claim'];
  const scaled = ['holdfast.dev/delete-after-scale-down', 'StatefulSet.apps/web/uid-of-web/uid-of-claim'];
  const workload = { kind: 'StatefulSet.apps', name: 'web', uid: 'uid-of-web' };
  const whole = { kind: 'valid', due: Date.parse(past), workload };

  test.each([
    { name: 'none', parts: [], mark: undefined },
    { name: 'its time alone', parts: [due], mark: { kind: 'void' } },
    { name: 'its claim alone', parts: [uid], mark: { kind: 'void' } },
    { name: 'a deleted workload alone', parts: [deleted], mark: { kind: 'void' } },
    { name: 'a scale-down alone', parts: [scaled], mark: { kind: 'void' } },
    { name: 'time and claim, for no workload', parts: [due, uid], mark: { kind: 'void' } },
    { name: 'a deletion and a scale-down', parts: [due, uid, deleted, scaled], mark: { kind: 'void' } },
    {
      name: 'all of a deletion',
      parts: [due, uid, deleted],
      mark: { ...whole, cause: 'DeletedWithWorkload' },
    },
    { name: 'all of a scale-down', parts: [due, uid, scaled], mark: { ...whole, cause: 'ScaledDown' } },
  ])('$name -> $mark', ({ parts, mark }) => {
    const { metadata } = claim();
    const annotations = Object.fromEntries(parts) as Record<string, string>;
    expect(markOf({ metadata: { ...metadata, annotations } })).toEqual(mark);
  });

  test('identity of a mark -> by what it was written for, and not by its time', () => {
    const { metadata } = claim();
    const idOf = (...parts: readonly (readonly string[])[]): string | undefined =>
      markId({ metadata: { ...metadata, annotations: Object.fromEntries(parts) as Record<string, string> } });
    const [name = '', value = ''] = scaled;
    expect(markId(claim())).toBeUndefined();
    expect(idOf(['other', past])).toBeUndefined();
    expect(idOf(due, uid, scaled)).toBe(idOf(uid, scaled));
    const ids = [
      idOf(due, uid),
      idOf(due, uid, deleted),
      idOf(due, uid, scaled),
      idOf(due, uid, [name, `${value}/${past}`]),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain(undefined);
  });
});
