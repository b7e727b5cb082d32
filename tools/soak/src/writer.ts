import { setTimeout as pause } from 'node:timers/promises';
import {
  persistentVolumeClaims,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import { ApiError, find, isAlreadyExists, isConflict, isNotFound, type ApiClient } from '@holdfast/runtime';

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
  /** An object as the API server has it; undefined: it is gone. No change, and takes no turn. */
  find<T extends KubernetesObject>(resource: ApiResource<T>, ref: ObjectRef): Promise<T | undefined>;
  /** The UID of a claim likewise. */
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

/** The server is away or overloaded, or another writer was quicker: worth another try. */
function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 429 || error.code >= 500 || isConflict(error);
}
