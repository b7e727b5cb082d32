import { expect, test } from '@jest/globals';
import { serveKinds } from '../../src/testing/serve-kinds.ts';
import { shelves } from './shelf.ts';

type Client = Parameters<typeof serveKinds>[0];

const unserved =
  'kind Shelf is not served in time: CustomResourceDefinition shelves.library.example.com is not established';

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

test('definition is not answered when time is up -> kind and definition named', async () => {
  const client = {
    apply: (_resource: unknown, _ref: unknown, _object: unknown, options?: { signal?: AbortSignal }) =>
      untilAborted(options?.signal),
  };
  const timeout = new AbortController();
  const served = serveKinds(client as unknown as Client, [shelves], timeout.signal);
  timeout.abort(new Error('timeout'));
  await expect(served).rejects.toThrow(unserved);
});

test('definition is not established when time is up -> kind and definition named', async () => {
  const timeout = new AbortController();
  const client = {
    apply: () => Promise.resolve(shelves.definition),
    watch: (_resource: unknown, { signal }: { signal?: AbortSignal }) => {
      const watched = untilAborted(signal);
      timeout.abort(new Error('timeout'));
      return watched;
    },
  };
  await expect(serveKinds(client as unknown as Client, [shelves], timeout.signal)).rejects.toThrow(unserved);
});
