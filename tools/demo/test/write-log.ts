import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';

/** What was seen of one object (a name may come again with another UID). */
export interface ObjectHistory {
  /** `kind namespace/name`. */
  readonly object: string;
  /** Each write after its creation, by whomever. */
  readonly writes: number;
  /** What its metadata came to be, one after the other; neighbours differ. */
  readonly metadata: readonly string[];
}

/** Every write to the objects of some kinds, seen through watches. */
export interface WriteLog {
  /** Of all objects together. */
  readonly writes: number;
  histories(): readonly ObjectHistory[];
  /** Ends the watches. @throws when one had ended before, since what it missed is not known. */
  stop(): Promise<void>;
}

/** Resolves when all watches have told what is there. */
export async function followWrites(
  client: ApiClient,
  resources: readonly ApiResource<KubernetesObject>[],
  seconds: number,
): Promise<WriteLog> {
  const stopping = new AbortController();
  const byUid = new Map<string, { object: string; writes: number; metadata: string[] }>();
  let writes = 0;

  const follow = (resource: ApiResource<KubernetesObject>, begun: () => void): Promise<void> =>
    client.watch(
      resource,
      {
        sendInitialEvents: true,
        timeoutSeconds: seconds,
        silenceLimit: seconds * 1000,
        signal: stopping.signal,
      },
      (event) => {
        if (event.type === 'BOOKMARK') {
          if (event.initialEventsEnd === true) {
            begun();
          }
          return;
        }
        const { namespace = '', name, uid } = event.object.metadata;
        const known = byUid.get(uid) ?? {
          object: `${resource.kind} ${namespace}/${name}`,
          writes: 0,
          metadata: [],
        };
        byUid.set(uid, known);
        if (event.type === 'MODIFIED') {
          known.writes += 1;
          writes += 1;
        }
        const metadata = describeMetadata(event.object);
        if (known.metadata.at(-1) !== metadata) {
          known.metadata.push(metadata);
        }
      },
    );

  const ended: Promise<void>[] = [];
  for (const resource of resources) {
    await new Promise<void>((begun, failed) => {
      const watching = follow(resource, begun).then(
        () => {
          throw new Error(
            `the watch of ${resource.plural} ended after ${String(seconds)} s, before the test did`,
          );
        },
        (error: unknown) => {
          if (!stopping.signal.aborted) {
            throw error;
          }
        },
      );
      watching.catch(failed);
      ended.push(watching);
    });
  }
  return {
    get writes() {
      return writes;
    },
    histories: () => [...byUid.values()],
    stop: async () => {
      stopping.abort(new Error('stopped by the test'));
      await Promise.all(ended);
    },
  };
}

/** What controllers could fight over. */
function describeMetadata({ metadata }: KubernetesObject): string {
  const { finalizers, ownerReferences, annotations, labels, deletionTimestamp } = metadata;
  return JSON.stringify({ finalizers, ownerReferences, annotations, labels, deletionTimestamp });
}
