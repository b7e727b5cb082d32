import { isOlderVersion } from '@holdfast/core';
import type { Workload } from './workload.ts';

/**
 * Returns what shows that the API server's data were restored from a backup between two states of a workload,
 * for an error message; undefined if nothing does.
 *
 * The generation counts as well as the version: `etcdutl snapshot restore --bump-revision` lets versions
 * continue far above the last one, so a workload that was written since has a newer version. Its generation,
 * which counts the changes of its spec, has gone back all the same; or it has caught up, with another spec. Of
 * the spec only the replicas are compared, because an upgrade of the API server can change defaults.
 */
export function signOfRestore(
  { metadata: known, spec: knownSpec }: Workload,
  { metadata: seen, spec: seenSpec }: Workload,
): string | undefined {
  if (seen.uid !== known.uid) {
    return undefined;
  }
  if (isOlderVersion(seen.resourceVersion, known.resourceVersion)) {
    return `version ${seen.resourceVersion}, and the cache has ${known.resourceVersion}`;
  }
  if (known.generation === undefined) {
    return undefined;
  }
  const { generation = 0 } = seen;
  if (generation < known.generation) {
    return `generation ${String(generation)}, and the cache has ${String(known.generation)}`;
  }
  return generation === known.generation && seenSpec?.replicas !== knownSpec?.replicas
    ? `${String(seenSpec?.replicas)} replicas in generation ${String(generation)}, and the cache has ${String(knownSpec?.replicas)}`
    : undefined;
}
