import { expect, test } from '@jest/globals';
import { ReconcileTimeout } from '@holdfast/runtime';
import type { ServerQuestion } from '../src/decide/decision.ts';
import { createSettleUndo } from '../src/settle-undo.ts';
import { csiFinalizer, volume } from './objects.ts';

const unexpected = (): never => {
  throw new Error('not to be called');
};

test.each<{
  what: string;
  reason: ServerQuestion['reason'];
  error: Error;
  ends: boolean;
  told: readonly string[];
}>([
  {
    what: 'the claim can not be read',
    reason: 'UndoWindowInCache',
    error: new Error('ns/data can not be read'),
    ends: false,
    told: ['ns/data can not be read'],
  },
  {
    what: 'it takes too long',
    reason: 'UndoWindowInCache',
    error: new ReconcileTimeout('took longer than 60000 ms'),
    ends: true,
    told: ['took longer than 60000 ms'],
  },
  {
    what: 'the controller ends',
    reason: 'UndoWindowInCache',
    error: new Error('stopped'),
    ends: true,
    told: [],
  },
  {
    what: 'only a mark is to go',
    reason: 'MarkInCache',
    error: new Error('ns/data can not be read'),
    ends: false,
    told: [],
  },
])(
  'look at the API server for an undo window fails: $what -> tried again, warned of if it lasts: $told',
  async ({ reason, error, ends, told }) => {
    const stop = new AbortController();
    const warned: unknown[] = [];
    const settle = createSettleUndo({
      observeOnServer: () => {
        if (ends) {
          stop.abort(error);
        }
        return Promise.reject(error);
      },
      takeSnapshot: unexpected,
      writeUndo: unexpected,
      progress: { lookAge: () => 2_000 },
      warnings: {
        warn: (warning) => {
          warned.push(warning.kind === 'lookFailed' ? warning.why : warning.reason);
          return { kind: 'done' };
        },
        goesOn: unexpected,
      },
    });
    const released = volume({ finalizers: [csiFinalizer], claimUid: 'c', phase: 'Released' });
    await expect(settle({ kind: 'askServer', volume: released, reason }, stop.signal)).rejects.toBe(error);
    expect(warned).toEqual(told);
  },
);
