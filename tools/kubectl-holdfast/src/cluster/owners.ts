import {
  isTerminating,
  urlPath,
  type ApiResource,
  type KubernetesObject,
  type OwnerReference,
} from '@holdfast/core';
import { ApiError, find, isForbidden, type ConnectedClient } from '@holdfast/runtime';
import type { OwnerState } from '../plan/world.ts';

/**
 * Looks up the owners of objects in a namespace, each once and all of them concurrently.
 *
 * @param known UIDs of objects that were already read, which need no look-up
 * @param going UIDs of objects that are about to be deleted, together with what they own
 * @returns the state of each owner by UID; `unknown` if its kind is not served or may not be read
 */
export async function readOwners(
  client: Pick<ConnectedClient, 'document' | 'get'>,
  namespace: string,
  references: readonly OwnerReference[],
  known: ReadonlySet<string>,
  going: ReadonlySet<string> = new Set(),
): Promise<ReadonlyMap<string, OwnerState>> {
  const wanted = new Map(references.map((each) => [each.uid, each]));
  const kindsOf = createKinds(client);
  const states = [...wanted.values()]
    .filter(({ uid }) => !known.has(uid))
    .map(async (owner) => [owner.uid, await stateOf(owner)] as const);

  async function stateOf({ apiVersion, kind, name, uid }: OwnerReference): Promise<OwnerState> {
    const resource = (await kindsOf(apiVersion))?.get(kind);
    if (resource === undefined) {
      return 'unknown';
    }
    try {
      const ref = resource.namespaced ? { namespace, name } : { name };
      const found = await find(client, resource, ref);
      if (found?.metadata.uid !== uid) {
        return 'gone';
      }
      const owners = found.metadata.ownerReferences ?? [];
      return isTerminating(found) || owners.some((each) => going.has(each.uid)) ? 'leaving' : 'lives';
    } catch (error) {
      if (isForbidden(error)) {
        return 'unknown';
      }
      throw error;
    }
  }
  return new Map(await Promise.all(states));
}

type Kinds = ReadonlyMap<string, ApiResource<KubernetesObject>>;

/**
 * Returns the kinds of a group version, which are requested once; undefined if it is not served or may not be
 * read.
 */
function createKinds(
  client: Pick<ConnectedClient, 'document'>,
): (apiVersion: string) => Promise<Kinds | undefined> {
  const asked = new Map<string, Promise<Kinds | undefined>>();
  return (apiVersion) => {
    const kinds = asked.get(apiVersion) ?? readKinds(client, apiVersion);
    asked.set(apiVersion, kinds);
    return kinds;
  };
}

async function readKinds(
  client: Pick<ConnectedClient, 'document'>,
  apiVersion: string,
): Promise<Kinds | undefined> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  try {
    const list = (await client.document(
      group === '' ? urlPath('api', version) : urlPath('apis', group, version),
    )) as { readonly resources?: readonly { name: string; kind: string; namespaced: boolean }[] };
    return new Map(
      (list.resources ?? [])
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced }) => [kind, { group, version, kind, plural: name, namespaced }]),
    );
  } catch (error) {
    if (isForbidden(error) || (error instanceof ApiError && error.code === 404)) {
      return undefined;
    }
    throw error;
  }
}
