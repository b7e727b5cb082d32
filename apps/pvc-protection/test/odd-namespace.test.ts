import { describe, expect, test } from '@jest/globals';
import { isTerminating, type PersistentVolumeClaim, type Pod } from '@holdfast/core';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createLiveLookups, StillListing } from '../src/live-lookup.ts';
import { claim, protection } from './objects.ts';

describe('list of pods of a namespace that hangs', () => {
  test('R1: one claim has waited for it -> the others are put off at once, and keep no worker', async () => {
    const clock = createFakeClock();
    const claims = new Map<string, PersistentVolumeClaim>();
    for (const name of ['one', 'two', 'three']) {
      claims.set(`ns/${name}`, claim({ name, deleted: true, finalizers: [protection] }));
    }
    const open = createLiveLookups({
      claims,
      isServed: isTerminating,
      clock,
      lookClock: clock,
      listPods: async function* () {
        yield* await new Promise<readonly Pod[]>(() => undefined);
      },
      listAttachments: async function* () {
        await Promise.resolve();
        yield* [];
      },
    });
    const putOff: string[] = [];
    const ask = (name: string): void => {
      const data = claims.get(`ns/${name}`) as PersistentVolumeClaim;
      open([`ns/${name}`])
        .podsNaming(data, new AbortController().signal)
        .catch((error: unknown) => {
          expect(error).toBeInstanceOf(StillListing);
          putOff.push(name);
        });
    };
    ask('one');
    await clock.advance(4_999);
    ask('one');
    await clock.advance(0);
    expect(putOff).toStrictEqual([]);
    await clock.advance(1);
    expect(putOff).toEqual(['one', 'one']);
    // `one` is served by the list, `two` and `three` were not in its batch: neither waits for five seconds of its own.
    for (const name of ['two', 'one', 'three']) {
      ask(name);
    }
    await clock.advance(0);
    expect(putOff).toEqual(['one', 'one', 'two', 'one', 'three']);
  });
});
