import { isOlderVersion, type KubernetesObject } from '@holdfast/core';

/**
 * Returns what shows that the API server's data were restored from a backup between two states of an object,
 * for an error message; undefined if nothing does.
 *
 * The generation counts as well as the version: `etcdutl snapshot restore --bump-revision` lets versions
 * continue far above the last one, so an object that was written since has a newer version. Its generation,
 * which counts the changes of its spec, has gone back all the same.
 */
export function signOfRestore(
  { metadata: known }: KubernetesObject,
  { metadata: seen }: KubernetesObject,
): string | undefined {
  if (seen.uid !== known.uid) {
    return undefined;
  }
  if (isOlderVersion(seen.resourceVersion, known.resourceVersion)) {
    return `version ${seen.resourceVersion}, and the cache has ${known.resourceVersion}`;
  }
  const { generation = 0 } = seen;
  return known.generation !== undefined && generation < known.generation
    ? `generation ${String(generation)}, and the cache has ${String(known.generation)}`
    : undefined;
}
