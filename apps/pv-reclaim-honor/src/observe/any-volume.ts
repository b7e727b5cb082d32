import { persistentVolumes, type ObjectKey, type PersistentVolume } from '@holdfast/core';
import {
  ApiError,
  listedByName,
  listedWhole,
  saysGone,
  type ApiClient,
  type RequestOptions,
  type UnreadableObject,
} from '@holdfast/runtime';
import { isText, messageOf } from '../shape.ts';
import { slimVolume } from '../slim.ts';
import { unlessCached, type CachedVolumes } from './unless-cached.ts';

/*
 * Volumes as they are before something is deleted, including those that lack the shape of their kind. The
 * readable parts of such a volume show which storage it might use.
 */

/**
 * The size of a page. Each page takes a token of the rate limit, and the deletions that wait for the list
 * need tokens too. With the default of 500, a list of 50,000 volumes would take all tokens of a second. A
 * page of 2,000 has some 3 MiB.
 */
const pageSize = 2_000;

/**
 * Yields all volumes, at their newest state. One that cannot be read from JSON or protobuf is requested by
 * its name in JSON, or from another list if there are many or nothing has that name. It is yielded in
 * whatever shape it has; if that fails too, it has no readable `spec`. Name, UID and resourceVersion are
 * always strings.
 *
 * @param cache of volumes as `slimVolume` reads them. Volumes that it has in the listed version, when their
 *   page is processed, are left out. Default: none is left out.
 * @throws what the client throws, also after volumes were yielded, as when the list expires between two pages
 *   (410). The caller then starts over.
 */
export async function* listAnyVolumes(
  client: Pick<ApiClient, 'get' | 'listPages'>,
  cache?: CachedVolumes,
): AsyncGenerator<PersistentVolume, void, void> {
  const problems: UnreadableObject[] = [];
  for await (const { items } of client.listPages(persistentVolumes, {
    projection: cache === undefined ? slimVolume : unlessCached(slimVolume, cache),
    limit: pageSize,
    onUnreadable: (problem) => problems.push(problem),
  })) {
    for (const volume of items) {
      if (cache?.get(volume.metadata.name) !== volume) {
        yield volume;
      }
    }
  }
  if (problems.some(({ key }) => key === undefined)) {
    yield opaque('');
  }
  const missing: ObjectKey[] = [];
  for (const name of yield* inAnyShapes(listedWhole(client, persistentVolumes, problems))) {
    const volume = await findAnyVolume(client, name);
    if (volume === undefined) {
      missing.push(name);
    } else {
      yield volume;
    }
  }
  for (const name of yield* inAnyShapes(listedByName(client, persistentVolumes, missing))) {
    yield opaque(name);
  }
}

async function* inAnyShapes<Rest>(
  volumes: AsyncGenerator<PersistentVolume, Rest, void>,
): AsyncGenerator<PersistentVolume, Rest, void> {
  let next = await volumes.next();
  for (; next.done !== true; next = await volumes.next()) {
    yield inAnyShape(next.value, next.value.metadata.name);
  }
  return next.value;
}

/**
 * Returns the volume of that name in whatever shape; undefined if there is none.
 *
 * @throws what the client throws, except for a response that is not JSON.
 */
export async function findAnyVolume(
  client: Pick<ApiClient, 'get'>,
  name: string,
  options: RequestOptions = {},
): Promise<PersistentVolume | undefined> {
  let volume: unknown;
  try {
    // `find` is not used, because it refuses a malformed object: its readable parts are needed.
    volume = await client.get(persistentVolumes, { name }, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (saysGone(error, persistentVolumes, { name })) {
      return undefined;
    }
    if (error instanceof ApiError) {
      throw error;
    }
    return opaque(name);
  }
  return inAnyShape(volume, name);
}

function inAnyShape(volume: unknown, name: string): PersistentVolume {
  const whole = messageOf(volume);
  if (whole === undefined) {
    return opaque(name);
  }
  const metadata = messageOf(whole['metadata']);
  const { uid, resourceVersion } = metadata ?? {};
  return {
    ...whole,
    metadata: {
      // Invalid metadata is recognized by this.
      ...(metadata ?? { annotations: 'unreadable' }),
      name,
      uid: isText(uid) ? uid : '',
      resourceVersion: isText(resourceVersion) ? resourceVersion : '',
    },
  };
}

/** Returns a volume of which only the name can be read. */
function opaque(name: string): PersistentVolume {
  return {
    metadata: { name, uid: '', resourceVersion: '' },
    spec: 'unreadable',
  } as unknown as PersistentVolume;
}
