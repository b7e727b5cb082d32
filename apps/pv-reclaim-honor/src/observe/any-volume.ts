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
 * Volumes as they are before something is deleted, also those that are not of the shape of their kind: what of such a volume can be read says
 * which storage it might be over.
 */

/**
 * Each page takes a token of the rate limit, which the deletions that wait for the list need themselves: in pages of 500, the default, a
 * list of 50,000 volumes would take all the tokens of a second. A page of 2,000 has some 3 MiB.
 */
const pageSize = 2_000;

/**
 * All volumes, at their newest state. One that can't be read, be it in JSON or in protobuf, is asked for by its name in JSON, or listed so with
 * others where they are many, or where there is nothing of that name, and is yielded as it
 * comes, in whatever shape; where that fails too, without a `spec` that could be read. Name, UID and resourceVersion are always texts.
 *
 * @param cache of volumes as `slimVolume` reads them. Those that it has in the version that is listed, as a page is looked through, are left out. Default: none is.
 * @throws what the client throws.
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

/** The volume of that name, in whatever shape; undefined: there is none. @throws what the client throws, but for what is no JSON. */
export async function findAnyVolume(
  client: Pick<ApiClient, 'get'>,
  name: string,
  options: RequestOptions = {},
): Promise<PersistentVolume | undefined> {
  let volume: unknown;
  try {
    // Not by `find`, which refuses an odd object: what can be read of it is to be read.
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
      // Metadata that are none are seen to be wrong by this.
      ...(metadata ?? { annotations: 'unreadable' }),
      name,
      uid: isText(uid) ? uid : '',
      resourceVersion: isText(resourceVersion) ? resourceVersion : '',
    },
  };
}

/** A volume of which nothing can be read but its name. */
function opaque(name: string): PersistentVolume {
  return {
    metadata: { name, uid: '', resourceVersion: '' },
    spec: 'unreadable',
  } as unknown as PersistentVolume;
}
