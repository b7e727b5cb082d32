import { expect, test } from '@jest/globals';
import {
  addFinalizerPatch,
  finalizerStep,
  removeFinalizerPatch,
  type FinalizerStep,
  type JsonPatch,
  type KubernetesObject,
} from '@holdfast/core';
import fc from 'fast-check';
import { applyJsonPatch, PatchRefused } from './apply-json-patch.ts';
import { stored } from './stored.ts';

const ours = 'example.com/bucket';
const deletionTimestamp = '2026-01-01T00:00:00Z';

test.each<{ terminating: boolean; present: boolean; cleanedUp: boolean; kind: FinalizerStep['kind'] }>([
  { terminating: false, present: false, cleanedUp: false, kind: 'add' },
  { terminating: false, present: false, cleanedUp: true, kind: 'add' },
  { terminating: false, present: true, cleanedUp: false, kind: 'apply' },
  { terminating: false, present: true, cleanedUp: true, kind: 'apply' },
  { terminating: true, present: true, cleanedUp: false, kind: 'cleanup' },
  { terminating: true, present: true, cleanedUp: true, kind: 'remove' },
  { terminating: true, present: false, cleanedUp: false, kind: 'none' },
  { terminating: true, present: false, cleanedUp: true, kind: 'none' },
])(
  'terminating: $terminating, finalizer: $present, cleaned up: $cleanedUp -> $kind',
  ({ terminating, present, cleanedUp, kind }) => {
    const object = stored({
      finalizers: present ? ['other', ours] : ['other'],
      ...(terminating ? { deletionTimestamp } : {}),
    });
    const patch = {
      add: () => addFinalizerPatch(object, ours),
      remove: () => removeFinalizerPatch(object, ours),
    };
    const expected = kind === 'add' || kind === 'remove' ? { kind, patch: patch[kind]() } : { kind };
    expect(finalizerStep(object, ours, { cleanedUp })).toStrictEqual(expected);
  },
);

/** A delete request, an event that the cache takes in, or a step of the controller on what its cache has. */
type Move = 'delete' | 'event' | 'step';

/**
 * Plays the moves; answers whether what was made for the object was left over when the object went, undefined if it
 * never went.
 */
function play(moves: readonly Move[]): boolean | undefined {
  const history: KubernetesObject[] = [stored()];
  let cached = 0;
  let made = false;
  for (const move of moves) {
    const object = history.at(-1) ?? stored();
    if (move === 'delete') {
      history.push({ metadata: { ...object.metadata, deletionTimestamp } });
    } else if (move === 'event') {
      cached = Math.min(cached + 1, history.length - 1);
    } else {
      const step = finalizerStep(history[cached] ?? object, ours, { cleanedUp: !made });
      if (step.kind === 'apply') {
        made = true;
      } else if (step.kind === 'cleanup') {
        made = false;
      } else if (step.kind !== 'none') {
        history.push(patched(object, step.patch));
      }
    }
    const { metadata } = history.at(-1) ?? object;
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) {
      return made;
    }
  }
  return undefined;
}

function patched(object: KubernetesObject, patch: JsonPatch): KubernetesObject {
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    expect(error).toBeInstanceOf(PatchRefused);
    return object;
  }
}

test('any order of deletion, events and steps on an old cache -> the object goes, and nothing that was made for it is left', () => {
  const anyMoves = fc.array(fc.constantFrom<Move[]>('delete', 'event', 'event', 'step', 'step'), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(anyMoves, (moves) => {
      const events = moves.map(() => 'event' as const);
      const leftOver = play([...moves, 'delete', ...events, 'event', 'step', 'step', 'event', 'step']);
      expect(leftOver).toBe(false);
    }),
  );
});
