import { expect, test } from '@jest/globals';
import type { OwnerReference, PersistentVolumeClaim } from '@holdfast/core';
import type { EventText } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import type { OwnersDecision, MarkDecision } from '../src/decide/decision.ts';
import { createFoughtOver, type Undoable } from '../src/fought-over.ts';

const owner: OwnerReference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-of-web' };

function claim(name: string, resourceVersion = '7'): PersistentVolumeClaim {
  return { metadata: { namespace: 'ns', name, uid: `uid-of-${name}`, resourceVersion } };
}

function adds(name: string): OwnersDecision {
  return {
    kind: 'setOwners',
    operation: 'add',
    claim: claim(name),
    references: [owner],
    owner,
    reason: 'DeletedWithWorkload',
  };
}

function marks(name: string): MarkDecision {
  return {
    kind: 'mark',
    claim: claim(name),
    deleteAfter: '2026-01-01T00:00:00Z',
    workload: { kind: 'StatefulSet', name: 'web', uid: 'uid-of-web' },
    reason: 'ScaledDown',
  };
}

function open({ storedAs = '8' } = {}) {
  const clock = createFakeClock();
  const recorded: EventText[] = [];
  const lines: unknown[] = [];
  const fought = createFoughtOver(
    clock,
    { record: (_resource, _claim, text) => recorded.push(text) },
    { warn: (line: unknown) => lines.push(line) },
  );
  return {
    clock,
    fought,
    recorded,
    lines,
    /** Sends what may be sent, and returns how long it has to wait otherwise. */
    send: (decision: Undoable): number => {
      const wait = fought.wait(decision);
      if (wait === 0) {
        fought.sent(decision, { kind: 'written', object: claim(decision.claim.metadata.name, storedAs) });
      }
      return wait;
    },
  };
}

test('reference is removed by another client each time -> waits for a second, then longer, up to 30 s, and an Event says so', async () => {
  const { clock, recorded, lines, send } = open();
  const waits: number[] = [];
  for (let time = 0; time < 17; time++) {
    const wait = send(adds('data'));
    waits.push(wait / 1_000);
    await clock.advance(wait);
  }
  expect(waits).toEqual([0, 0, 0, 1, 0, 2, 0, 4, 0, 8, 0, 16, 0, 30, 0, 30, 0]);
  expect(lines).toHaveLength(7);
  expect(new Set(recorded.map(({ reason, note }) => `${reason}: ${note}`))).toEqual(
    new Set([
      'RetentionUndone: Another client undoes what the retention policy calls for, each time (add owner StatefulSet web). It is written again within 30 s',
    ]),
  );
});

test.each<{ what: string; owner?: OwnerReference; operation: OwnersDecision['operation'] }>([
  { what: 'removed', operation: 'remove' },
  { what: 'replaced by the set', operation: 'swap', owner },
])(
  'pod is to be $what as the owner, and another client puts it back each time -> waits for two seconds at most, since the pod might end',
  async (wanted) => {
    const { clock, send } = open();
    const waits: number[] = [];
    for (let time = 0; time < 12; time++) {
      const wait = send({ ...adds('data'), operation: wanted.operation, owner: wanted.owner });
      waits.push(wait);
      await clock.advance(wait);
    }
    expect(waits.filter((wait) => wait > 0)).toEqual([1_000, 2_000, 2_000, 2_000, 2_000]);
  },
);

test('removed and added in turn, each time since the policy says so -> no fight', () => {
  const { send } = open();
  for (let time = 0; time < 6; time++) {
    expect(send(adds('data'))).toBe(0);
    expect(send({ ...adds('data'), operation: 'remove', owner: undefined })).toBe(0);
  }
});

test('reference is removed by another client every ten seconds -> added at once each time', async () => {
  const { clock, recorded, send } = open();
  for (let time = 0; time < 20; time++) {
    expect(send(adds('data'))).toBe(0);
    await clock.advance(10_000);
  }
  expect(recorded).toStrictEqual([]);
});

test('one claim is fought over -> neither another claim waits, nor another write of this one', () => {
  const { send } = open();
  for (let time = 0; time < 3; time++) {
    send(adds('data'));
  }
  expect(send(adds('data'))).toBe(1_000);
  expect(send(adds('other'))).toBe(0);
  expect(send(marks('data'))).toBe(0);
  expect(send({ ...adds('data'), operation: 'remove' })).toBe(0);
});

test.each([
  { what: 'dry run, in which nothing is stored', storedAs: '7', forgets: false },
  { what: 'this process undoes the writes itself', storedAs: '8', forgets: true },
])('$what -> no fight', ({ storedAs, forgets }) => {
  const { fought, recorded, send } = open({ storedAs });
  for (let time = 0; time < 9; time++) {
    expect(send(adds('data'))).toBe(0);
    if (forgets) {
      fought.forget(claim('data'));
    }
  }
  expect(recorded).toStrictEqual([]);
});
