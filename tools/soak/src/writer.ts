import { setTimeout as pause } from 'node:timers/promises';
import { persistentVolumeClaims, type ObjectRef } from '@holdfast/core';
import { ApiError, isAlreadyExists, isConflict, isNotFound, type ApiClient } from '@holdfast/runtime';

/** Makes changes, each in its turn and in spite of an API server that is away for a while. */
export interface Writer {
  /** Changes that took effect. */
  readonly changes: number;
  /** Requests that were sent again. */
  readonly retries: number;
  /** @throws the signal's reason when aborted before it is sent; ApiError for what cannot be the API server's absence. */
  create(send: () => Promise<unknown>): Promise<void>;
  patch(send: () => Promise<unknown>): Promise<void>;
  delete(send: () => Promise<unknown>): Promise<void>;
  /** The UID of a claim as the API server has it; undefined: it is gone. No change, and takes no turn. */
  uidOf(claim: ObjectRef): Promise<string | undefined>;
}

const retryDelay = 200;

export function createWriter(client: ApiClient, turn: () => Promise<void>, signal: AbortSignal): Writer {
  let changes = 0;
  let retries = 0;

  /** @param isDone what an answer to a second try may say when the first one took effect but its answer was lost. */
  const insist = async <T>(
    send: () => Promise<T>,
    isDone: (error: unknown) => boolean,
  ): Promise<T | undefined> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        if (attempt > 0 && isDone(error)) {
          return undefined;
        }
        if (!isPassing(error)) {
          throw error;
        }
        retries += 1;
        await pause(retryDelay);
        signal.throwIfAborted();
      }
    }
  };

  const change = async (send: () => Promise<unknown>, isDone: (error: unknown) => boolean): Promise<void> => {
    await turn();
    signal.throwIfAborted();
    await insist(send, isDone);
    changes += 1;
  };

  return {
    get changes() {
      return changes;
    },
    get retries() {
      return retries;
    },
    create: (send) => change(send, isAlreadyExists),
    patch: (send) => change(send, () => false),
    delete: (send) => change(send, isNotFound),
    uidOf: (claim) =>
      insist(
        async () => {
          try {
            return (await client.get(persistentVolumeClaims, claim)).metadata.uid;
          } catch (error) {
            if (isNotFound(error)) {
              return undefined;
            }
            throw error;
          }
        },
        () => false,
      ),
  };
}

/** The server is away or overloaded, or another writer was quicker: worth another try. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 429 || error.code >= 500 || isConflict(error);
}
