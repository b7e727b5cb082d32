import type { WatchEvent, WatchSource } from '../http/answer.ts';
import { type JsonObject, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { expired, internalError } from '../meta/status-error.ts';
import { type ResourceDefinition, apiVersionOf, keyspaceOf } from '../resources/resource-definition.ts';
import { decodeStruct } from '../schema/decode.ts';
import { type Change, CompactedError } from '../storage/storage.ts';
import type { ListOptions } from './list-options.ts';
import { convertChanges, initiallyConverted } from './converted-watch.ts';
import { waitForRevision } from './list-page.ts';
import type { ServerState } from './server-state.ts';

/**
 * Opens a watch. A revision that history cannot serve becomes an ERROR event, as in the watch cache. Throws
 * 500, 504.
 */
export async function openWatch(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  options: ListOptions,
): Promise<WatchSource> {
  const { storage } = server;
  const keyspace = keyspaceOf(definition);
  const within = namespace === '' ? undefined : namespace;
  const { resourceVersion, selects, sendInitialEvents, allowWatchBookmarks } = options;
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw internalError(
      `resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
    );
  }
  const since = resourceVersion === '' ? 0 : Number(resourceVersion);
  const isFromScratch = sendInitialEvents ?? since === 0;

  const initial: WatchEvent[] = [];
  const isConverted = definition.askedConversion !== undefined;
  let startRevision = since;
  if (isFromScratch) {
    if (since > storage.revision) {
      await waitForRevision(server, since);
    }
    startRevision = storage.revision;
    const stored = storage.list(keyspace, within);
    const entries = isConverted ? await initiallyConverted(definition, stored) : stored;
    for (const entry of entries) {
      if (selects === undefined || selects(entry.object)) {
        initial.push({ type: 'ADDED', entry, revision: entry.revision });
      }
    }
    if (allowWatchBookmarks) {
      initial.push({ type: 'BOOKMARK', revision: startRevision, isInitialEventsEnd: true });
    }
  } else {
    try {
      startRevision = since === 0 ? storage.revision : since;
      for (const change of storage.changesSince(keyspace, startRevision)) {
        const event = isConverted ? undefined : select(change, within, selects);
        if (event !== undefined) {
          initial.push(event);
        }
      }
    } catch (error) {
      if (!(error instanceof CompactedError)) {
        throw error;
      }
      const { status } = expired(`too old resource version: ${since} (${error.compactRevision})`);
      return {
        initial: [{ type: 'ERROR', status }],
        subscribe: () => () => undefined,
        currentRevision: () => since,
      };
    }
  }
  let reached = (newest: number): number => newest;
  return {
    initial,
    subscribe(deliver, end) {
      const { group, version, plural } = definition;
      const pass = (change: Change): void => {
        const event = select(change, within, selects);
        if (event !== undefined) {
          deliver(event);
        }
      };
      const conversions = isConverted
        ? convertChanges(server, definition, selects !== undefined, pass, end)
        : undefined;
      const take = (change: Change): void => {
        if (conversions === undefined) {
          pass(change);
        } else if (within === undefined || change.entry.namespace === within) {
          conversions.add(change);
        }
      };
      if (conversions !== undefined) {
        // Takes the changes since the requested revision, or those that happened while the initial objects
        // were converted.
        storage.changesSince(keyspace, startRevision).forEach(take);
        reached = conversions.reached;
      }
      const unsubscribe = storage.subscribe(keyspace, (change) => {
        // A watch from a future revision starts there.
        if (change.revision > startRevision) {
          take(change);
        }
      });
      const isServed = (): boolean => server.registry.find(group, version, plural) === definition;
      const forget = server.registry.subscribe(() => {
        if (!isServed()) {
          end();
        }
      });
      if (isConverted && !isServed()) {
        // The definition changed while the initial objects were converted. They are sent before the watch
        // ends.
        queueMicrotask(end);
      }
      return () => {
        unsubscribe();
        conversions?.stop();
        forget();
      };
    },
    currentRevision: () => Math.max(reached(storage.revision), startRevision),
  };
}

/** What a change means to a watcher that sees only some of the objects. */
function select(
  change: Change,
  namespace: string | undefined,
  selects: ListOptions['selects'],
): WatchEvent | undefined {
  const { entry, previous, revision } = change;
  if (namespace !== undefined && entry.namespace !== namespace) {
    return undefined;
  }
  if (selects === undefined) {
    return { type: change.type, entry, revision };
  }
  const seen = previous !== undefined && selects(previous.object) ? previous : undefined;
  const isSeen = change.type !== 'DELETED' && selects(entry.object);
  if (isSeen) {
    return { type: seen !== undefined ? 'MODIFIED' : 'ADDED', entry, revision };
  }
  if (seen === undefined) {
    return undefined;
  }
  if (change.type === 'DELETED') {
    return { type: 'DELETED', entry, revision };
  }
  // The object left the selection: send its last selected state, with the revision of the change.
  const metadata = { ...seen.object.metadata, resourceVersion: String(revision) };
  return { type: 'DELETED', entry: { ...seen, object: { ...seen.object, metadata } }, revision };
}

/** The object of a bookmark: an empty one of the kind, with the revision. */
export function bookmarkObject(
  definition: ResourceDefinition,
  revision: number,
  isInitialEventsEnd: boolean,
): KubeObject {
  const metadata: JsonObject = { resourceVersion: String(revision) };
  if (isInitialEventsEnd) {
    metadata['annotations'] = { 'k8s.io/initial-events-end': 'true' };
  }
  const empty =
    definition.struct === undefined
      ? {}
      : decodeStruct(definition.struct, { ...definition.emptyFields, metadata }).value;
  const rest = withoutFields(empty, ['kind', 'apiVersion', 'metadata']);
  const nulls = Object.entries(definition.emptyFields ?? {}).filter(([, value]) => value === null);
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata,
    ...Object.fromEntries(nulls),
    ...rest,
  };
}
