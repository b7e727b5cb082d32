import type { ClusterResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '../client/api-client.ts';

/** The server ends a watch after this many seconds, and a new one begins. */
const timeoutSeconds = 60;

/**
 * Resolves with a cluster-scoped object once it exists and `isWanted` returns true for it.
 *
 * @param isWanted an error that it throws ends the wait.
 * @throws what `isWanted` throws; what the watch throws; the signal's reason.
 */
export async function awaitObject<T extends KubernetesObject>(
  client: ApiClient,
  resource: ClusterResource<T>,
  { name }: { readonly name: string },
  isWanted: (object: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  let found: T | undefined;
  let failure: { readonly error: unknown } | undefined;
  while (found === undefined) {
    signal.throwIfAborted();
    await client
      .watch(
        resource,
        {
          fieldSelector: `metadata.name=${name}`,
          timeoutSeconds,
          silenceLimit: 2_000 * timeoutSeconds,
          signal,
        },
        (event, end) => {
          if (found !== undefined || failure !== undefined || event.type === 'BOOKMARK') {
            return;
          }
          try {
            found = event.type !== 'DELETED' && isWanted(event.object) ? event.object : undefined;
          } catch (error) {
            failure = { error };
          }
          if (found !== undefined || failure !== undefined) {
            end();
          }
        },
      )
      .catch((error: unknown) => {
        if (found === undefined && failure === undefined) {
          signal.throwIfAborted();
          throw error;
        }
      });
    if (failure !== undefined) {
      throw failure.error;
    }
  }
  return found;
}
