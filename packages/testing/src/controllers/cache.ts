import { setTimeout as pause } from 'node:timers/promises';
import { objectKey, type ApiResource, type KubernetesObject, type ObjectKey } from '@holdfast/core';
import { ApiError, type ApiClient } from './api-client.ts';

/** The objects of one kind, as the API server last sent them. */
export interface Cache<T extends KubernetesObject> {
  get(key: ObjectKey): T | undefined;
  list(): readonly T[];
}

/** A change of an object. If the object is gone, `object` is its last state. */
export interface Change<T extends KubernetesObject> {
  readonly object: T;
  readonly previous: T | undefined;
  readonly isGone: boolean;
}

export interface RunningCache<T extends KubernetesObject> extends Cache<T> {
  /** The resourceVersion of the first list. The cache holds every write up to it. */
  readonly since: string;
  /**
   * Whether the cache holds every write to its kind up to this resourceVersion, which is so once it has
   * received a write at or after that version.
   */
  hasSeen(resourceVersion: string): boolean;
  /** Whether the cache holds exactly what the API server has now. */
  isLevel(): Promise<boolean>;
  stop(): void;
}

const reconnectMilliseconds = 20;

/**
 * Resolves when the first list has arrived. Watches until stopped, and lists again if the watch's version is
 * too old.
 *
 * @param onEvent called with the version of each event of the watch, after the change
 */
export async function startCache<T extends KubernetesObject>(
  client: ApiClient,
  resource: ApiResource<T>,
  onChange: (change: Change<T>) => void,
  onEvent: (version: string) => void,
): Promise<RunningCache<T>> {
  const objects = new Map<ObjectKey, T>();
  let latest = 0;
  const stopping = new AbortController();
  const { signal } = stopping;

  function put(object: T): void {
    const key = objectKey(object);
    const previous = objects.get(key);
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion) {
      return;
    }
    if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) {
      remove(previous);
    }
    objects.set(key, object);
    onChange({
      object,
      previous: previous?.metadata.uid === object.metadata.uid ? previous : undefined,
      isGone: false,
    });
  }

  function remove(object: T): void {
    const key = objectKey(object);
    const previous = objects.get(key);
    if (previous === undefined) {
      return;
    }
    objects.delete(key);
    onChange({ object, previous, isGone: true });
  }

  async function relist(): Promise<string> {
    const { items, resourceVersion } = await client.list(resource);
    const present = new Set(items.map(objectKey));
    for (const [key, object] of [...objects]) {
      if (!present.has(key)) {
        remove(object);
      }
    }
    for (const item of items) {
      put(item);
    }
    latest = Number(resourceVersion);
    return resourceVersion;
  }

  async function follow(from: string): Promise<void> {
    let version: string | undefined = from;
    while (!signal.aborted) {
      try {
        version ??= await relist();
        await client.watch(
          resource,
          version,
          ({ type, object }) => {
            version = object.metadata.resourceVersion;
            if (type === 'DELETED') {
              remove(object);
            } else {
              put(object);
            }
            latest = Number(version);
            onEvent(version);
          },
          signal,
        );
      } catch (error) {
        // Any other error that broke the watch, such as a restart of the API server, is temporary.
        if (error instanceof ApiError && error.code === 410) {
          version = undefined;
        }
      }
      await pause(reconnectMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  }

  const since = await relist();
  const following = follow(since);
  following.catch(() => undefined);

  return {
    since,
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    hasSeen: (resourceVersion) => latest >= Number(resourceVersion),
    async isLevel() {
      const { items } = await client.list(resource);
      return (
        items.length === objects.size &&
        items.every(
          (item) => objects.get(objectKey(item))?.metadata.resourceVersion === item.metadata.resourceVersion,
        )
      );
    },
    stop: () => stopping.abort(),
  };
}
