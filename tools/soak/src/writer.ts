import { setTimeout as pause } from 'node:timers/promises';
import {
  persistentVolumeClaims,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import { ApiError, find, isAlreadyExists, isConflict, isNotFound, type ApiClient } from '@holdfast/runtime';

/** Makes changes, each in its turn, and keeps trying while the API server is down for a while. */
export interface Writer {
  /** The number of changes that took effect. */
  readonly changes: number;
  /** The number of requests that were sent again. */
  readonly retries: number;
  /**
   * @throws the signal's reason if aborted before it is sent; ApiError for an error that does not mean that
   *   the API server is down
   */
  create(send: () => Promise<unknown>): Promise<void>;
  patch(send: () => Promise<unknown>): Promise<void>;
  delete(send: () => Promise<unknown>): Promise<void>;
  /**
   * Returns an object as the API server has it; undefined if it is gone. This is not a change, and takes no
   * turn.
   */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** Returns the UID of a claim in the same way. */
  uidOf(claim: ObjectRef): Promise<string | undefined>;
}

const retryDelay = 200;

export function createWriter(client: ApiClient, turn: () => Promise<void>, signal: AbortSignal): Writer {
  let changes = 0;
  let retries = 0;

  /**
   * @param isDone whether the answer to a second try means that the first one took effect and only its answer
   *   was lost
   */
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

  const findAt = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
  ): Promise<T | undefined> =>
    insist(
      () => find(client, resource, ref),
      () => false,
    );

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
    find: findAt,
    uidOf: async (claim) => (await findAt(persistentVolumeClaims, claim))?.metadata.uid,
  };
}

/** The server is down or overloaded, or another writer was faster: worth another try. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 429 || error.code >= 500 || isConflict(error);
}
