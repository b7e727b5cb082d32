import { describe, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createEndings, type Endings } from '../src/endings.ts';
import type { Workload } from '../src/workload.ts';

function set(resourceVersion: string, finalizers?: readonly string[], uid = 'uid-of-web'): Workload {
  return {
    metadata: {
      name: 'web',
      namespace: 'ns',
      uid,
      resourceVersion,
      ...(finalizers === undefined ? {} : { finalizers, deletionTimestamp: '2026-01-01T12:00:00Z' }),
    },
  };
}

const web = { namespace: 'ns', name: 'web', uid: 'uid-of-web' };

function endingOf(...states: readonly Workload[]): ReturnType<Endings['of']> {
  const endings = createEndings(systemClock);
  for (const state of states.slice(0, -1)) {
    endings.saw(state);
  }
  for (const last of states.slice(-1)) {
    endings.ended(last, 60_000);
  }
  return endings.of(web);
}

describe('how a set ended', () => {
  const withDependents = { kind: 'withDependents', window: 60_000 } as const;
  test.each([
    { name: 'deleted at once', states: [set('1'), set('2')], expected: withDependents },
    {
      name: 'deleted in the foreground',
      states: [set('1'), set('2', ['foregroundDeletion']), set('3', [])],
      expected: withDependents,
    },
    {
      name: 'orphaned',
      states: [set('1'), set('2', ['orphan']), set('3', [])],
      expected: { kind: 'orphaned' },
    },
    {
      name: 'orphaned, after its deletion in the foreground had begun',
      states: [set('1'), set('2', ['foregroundDeletion']), set('3', ['orphan']), set('4', [])],
      expected: { kind: 'orphaned' },
    },
    {
      name: 'deleted in the foreground, its deletion was under way when it was first seen',
      states: [set('2', ['foregroundDeletion']), set('3', [])],
      expected: withDependents,
    },
    {
      name: 'orphaned, and held up by a finalizer of another',
      states: [set('1'), set('2', ['orphan', 'a/b']), set('3', ['a/b']), set('4', [])],
      expected: { kind: 'orphaned' },
    },
    {
      name: 'held up by a finalizer of another, which is all that was seen',
      states: [set('1'), set('3', ['a/b']), set('4', [])],
      expected: undefined,
    },
    {
      name: 'deleted in the foreground, then held up by a finalizer of another',
      states: [set('1'), set('2', ['foregroundDeletion', 'a/b']), set('3', ['a/b']), set('4', [])],
      expected: undefined,
    },
    { name: 'missing in a list', states: [set('1'), set('1')], expected: undefined },
    { name: 'the watch left its deletion out', states: [set('1'), set('3', [])], expected: undefined },
    { name: 'never seen alive', states: [set('2')], expected: undefined },
  ])('S2: $name', ({ states, expected }) => {
    expect(endingOf(...states)).toEqual(expected);
  });

  test('S2: its claims do not go with it -> nothing is known', () => {
    const endings = createEndings(systemClock);
    endings.saw(set('1'));
    endings.ended(set('2'), undefined);
    expect(endings.of(web)).toBeUndefined();
  });

  test('its end was seen twice -> what is known of it stays as it was', () => {
    const endings = createEndings(systemClock);
    endings.saw(set('1'));
    endings.ended(set('2'), 60_000);
    endings.ended(set('3', ['orphan']), 1);
    endings.ended(set('3'), 2);
    expect(endings.of(web)).toEqual(withDependents);
  });

  test.each([
    { name: 'was orphaned', states: [set('3'), set('4', ['orphan']), set('5', [])] },
    { name: 'is gone', states: [set('3'), set('4')] },
    { name: 'is missing in a list', states: [set('3'), set('3')] },
  ])('it was made again, and the second one $name -> the first was made again', ({ states }) => {
    const endings = createEndings(systemClock);
    endings.saw(set('1'));
    endings.ended(set('2'), 60_000);
    const second = states.map(({ metadata }) => ({ metadata: { ...metadata, uid: 'second' } }));
    second.slice(0, -1).forEach(endings.saw);
    second.slice(-1).forEach((last) => endings.ended(last, 60_000));
    expect(endings.of(web)).toEqual({ kind: 'madeAgain' });
    expect(endings.of({ ...web, uid: 'second' })).not.toEqual({ kind: 'madeAgain' });
    expect(endings.of({ ...web, namespace: 'other' })).toEqual(withDependents);
  });

  test('it was deleted, and is listed once more by a server that is behind -> how it ends then counts', () => {
    const endings = createEndings(systemClock);
    endings.saw(set('1'));
    endings.ended(set('2'), 60_000);
    endings.saw(set('1'));
    endings.saw(set('2', ['orphan']));
    endings.ended(set('3', []), 60_000);
    expect(endings.of(web)).toEqual({ kind: 'orphaned' });
  });

  test('it is there again after a restore of etcd, and then missing in a list -> nothing is known', () => {
    const endings = createEndings(systemClock);
    endings.saw(set('1'));
    endings.ended(set('2'), 60_000);
    endings.saw(set('1'));
    endings.ended(set('1'), 60_000);
    expect(endings.of(web)).toBeUndefined();
  });

  test('an hour ago -> remembered; a millisecond more -> forgotten when another ends', async () => {
    const clock = createFakeClock();
    const endings = createEndings(clock);
    const named = (name: string) => ({ ...web, name, uid: `uid-of-${name}` });
    const end = (name: string): void => {
      endings.saw({ metadata: { ...set('1').metadata, ...named(name) } });
      endings.ended({ metadata: { ...set('2').metadata, ...named(name) } }, 60_000);
    };
    end('web');
    await clock.advance(3_600_000);
    end('b');
    expect(endings.of(web)).toEqual(withDependents);
    await clock.advance(1);
    end('c');
    expect(endings.of(web)).toBeUndefined();
    expect(endings.of(named('b'))).toEqual(withDependents);
  });

  test('one of the name of the oldest ends -> the next oldest is forgotten in its time', async () => {
    const clock = createFakeClock();
    const endings = createEndings(clock);
    const b = { ...web, name: 'b', uid: 'uid-of-b' };
    const end = (metadata: typeof web): void => {
      endings.saw({ metadata: { ...set('1').metadata, ...metadata } });
      endings.ended({ metadata: { ...set('2').metadata, ...metadata } }, 60_000);
    };
    end(web);
    end(b);
    await clock.advance(3_600_000);
    end(web);
    expect(endings.of(b)).toEqual(withDependents);
    await clock.advance(1);
    end({ ...web, name: 'c', uid: 'uid-of-c' });
    expect(endings.of(b)).toBeUndefined();
    expect(endings.of({ ...b, uid: 'before' })).toBeUndefined();
    expect(endings.of(web)).toEqual(withDependents);
  });

  test('made again an hour ago -> remembered; a millisecond more -> forgotten when another ends', async () => {
    const clock = createFakeClock();
    const endings = createEndings(clock);
    const end = (name: string): void =>
      endings.ended({ metadata: { ...set('2').metadata, name, uid: 'second' } }, undefined);
    end('web');
    await clock.advance(3_600_000);
    end('b');
    expect(endings.of(web)).toEqual({ kind: 'madeAgain' });
    await clock.advance(1);
    end('c');
    expect(endings.of(web)).toBeUndefined();
  });

  test('made again hours ago, and a claim still names the one before -> remembered until none does', async () => {
    const clock = createFakeClock();
    const named = new Set(['ns/web']);
    const endings = createEndings(clock, (workload) => named.has(workload));
    const end = (name: string): void =>
      endings.ended({ metadata: { ...set('2').metadata, name, uid: 'second' } }, undefined);
    end('web');
    for (const other of ['b', 'c']) {
      await clock.advance(3_600_001);
      end(other);
      expect(endings.of(web)).toEqual({ kind: 'madeAgain' });
    }
    named.clear();
    await clock.advance(3_600_001);
    end('d');
    expect(endings.of(web)).toBeUndefined();
  });
});
