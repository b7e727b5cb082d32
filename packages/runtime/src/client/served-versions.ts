import { urlPath, type ApiResource, type KubernetesObject, type UrlPath } from '@holdfast/core';
import type { ConnectedClient, RequestOptions } from './api-client.ts';

/**
 * Returns the versions in which the API server serves the kind, according to its discovery. None means that
 * the kind has no objects that anyone could read.
 *
 * The API server answers requests for an object or a list of such a kind with 404 and plain text, unless the
 * group is one of its own. Any proxy might answer the same, so that response alone says nothing; see
 * `isNotFound`. Other versions of the group are asked about too, because an object exists in each version
 * that is served.
 *
 * No role has to allow this: ClusterRole system:discovery lets every authenticated user read discovery.
 *
 * @throws what `client.document` throws, and Error if a response is not the requested document of discovery.
 *   It is unknown then what is served.
 */
export async function servedVersions(
  client: Pick<ConnectedClient, 'document'>,
  { group, plural }: Pick<ApiResource<KubernetesObject>, 'group' | 'plural'>,
  options?: RequestOptions,
): Promise<readonly string[]> {
  const versions = group === '' ? ['v1'] : await versionsOf(client, group, options);
  const served = await Promise.all(
    versions.map(async (version) => {
      const plurals = await pluralsOf(client, group, version, options);
      return plurals.includes(plural) ? [version] : [];
    }),
  );
  return served.flat();
}

/** Returns no version if the group is not served. */
async function versionsOf(
  client: Pick<ConnectedClient, 'document'>,
  group: string,
  options: RequestOptions | undefined,
): Promise<readonly string[]> {
  const path = urlPath('apis');
  const { kind, groups } = fieldsOf(await client.document(path, options));
  const named = namedOf(groups);
  // Every API server has groups of its own. An empty list says nothing about the others.
  if (kind !== 'APIGroupList' || named === undefined || named.length === 0) {
    throw notDiscovery(path, 'an APIGroupList with groups');
  }
  const found = named.find(({ name }) => name === group);
  if (found === undefined) {
    return [];
  }
  const versions = Array.isArray(found['versions'])
    ? found['versions'].map((each) => fieldsOf(each)['version'])
    : [];
  if (versions.length === 0 || !versions.every((each) => typeof each === 'string')) {
    throw notDiscovery(path, `versions of group ${group}`);
  }
  return versions;
}

async function pluralsOf(
  client: Pick<ConnectedClient, 'document'>,
  group: string,
  version: string,
  options: RequestOptions | undefined,
): Promise<readonly string[]> {
  const path = group === '' ? urlPath('api', version) : urlPath('apis', group, version);
  const wanted = group === '' ? version : `${group}/${version}`;
  const { kind, groupVersion, resources } = fieldsOf(await client.document(path, options));
  const named = namedOf(resources);
  if (kind !== 'APIResourceList' || groupVersion !== wanted || named === undefined) {
    throw notDiscovery(path, `the APIResourceList of ${wanted}`);
  }
  return named.map(({ name }) => name);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(document: unknown): Fields {
  return typeof document === 'object' && document !== null ? (document as Fields) : {};
}

/** Returns the items of a list whose items all have a name; undefined for anything else. */
function namedOf(list: unknown): readonly (Fields & { readonly name: string })[] | undefined {
  const items = Array.isArray(list) ? list.map(fieldsOf) : undefined;
  return items?.every(hasName) === true ? items : undefined;
}

function hasName(item: Fields): item is Fields & { readonly name: string } {
  return typeof item['name'] === 'string';
}

function notDiscovery(path: UrlPath, wanted: string): Error {
  return new Error(
    `the API server answered GET ${path} with something else than ${wanted}: check whether a proxy answers in its place`,
  );
}
