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
 * Looks for the owners that objects of a namespace name, each once, and as many at a time as there are.
 *
 * @param known UIDs of objects that were read already; they are not looked for.
 * @param going UIDs of what is about to be deleted: what these own goes with them.
 * @returns by UID. `unknown` where the kind is not served, or may not be read.
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

/** The kinds of a group's version, asked for once; undefined: it is not served, or may not be asked for. */
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
