import { expect, test } from '@jest/globals';
import type { Pod } from '@holdfast/core';
import type { ApiClient, Look, StepOptions } from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { StillListing } from '../src/live-lookup.ts';
import { uninstallSteps } from '../src/uninstall/steps.ts';
import { claim, protection } from './objects.ts';

test('--uninstall, a list of pods takes 6 s, many terminating claims -> the second list serves all of them', async () => {
  const clock = createFakeClock();
  let lists = 0;
  const client = {
    listPages: async function* (_resource: unknown, { look }: { look: Look }) {
      lists += 1;
      look.lookedAt = clock.now();
      await new Promise<void>((resolve) => clock.after(6_000, resolve));
      const items: readonly Pod[] = [];
      yield { items, metadata: { resourceVersion: '1' } };
    },
  } as unknown as ApiClient;
  const [step] = uninstallSteps({ client, waitForDetach: false, clock });
  const claims = Array.from({ length: 50 }, (_, index) =>
    claim({ name: `data-${String(index)}`, deleted: true, finalizers: [protection] }),
  );
  const options = { signal: new AbortController().signal } as StepOptions;
  /** One look of the step; a claim that is put off is left to the next. */
  const look = async (): Promise<number> => {
    const asked = claims.map(async (each): Promise<number> => {
      try {
        expect(await step?.takeBack(each, options)).toMatchObject({ operations: expect.anything() });
        return 1;
      } catch (error) {
        expect(error).toBeInstanceOf(StillListing);
        return 0;
      }
    });
    await clock.advance(7_000);
    return (await Promise.all(asked)).reduce((sum, each) => sum + each, 0);
  };
  expect([await look(), await look(), await look()]).toEqual([0, 0, 50]);
  expect(lists).toBe(2);
});
