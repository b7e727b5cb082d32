import { statefulSets } from '@holdfast/core';
import { quoted, UsageError } from '@holdfast/runtime';
import { workloadsFlag, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { AtWork } from './holdfast-at-work.ts';

/**
 * The kinds that statefulset-pvc-retention serves according to its flags; its default if the flags are not
 * known or invalid.
 */
export function workloadsOf({ flags }: Pick<AtWork, 'flags'>): readonly WorkloadResource[] {
  const given = flags.get('workloads');
  const read = given === undefined ? undefined : workloadsFlag.schema.safeParse(given);
  return read?.success === true ? read.data : [statefulSets];
}

/**
 * Finds the kind that a user names: `sts`, or resource and group as in kubectl,
 * `statefulsets.apps.kruise.io`.
 *
 * @param known the possible kinds
 * @throws UsageError listing the possible kinds
 */
export function workloadNamed(name: string, known: readonly WorkloadResource[]): WorkloadResource {
  const wanted = name.toLowerCase();
  const found = known.find(({ plural, kind, group }) =>
    [plural, kind.toLowerCase()].some((each) => `${each}.${group}` === wanted),
  );
  if (found === undefined) {
    const names = known.map(({ plural, group }) => `${plural}.${group}`).join(', ');
    throw new UsageError(
      `${quoted(name)} is not a kind that statefulset-pvc-retention manages (${names}); name it as --workloads=GROUP/VERSION/KIND`,
    );
  }
  return found;
}

export function isSameKind(a: WorkloadResource, b: WorkloadResource): boolean {
  return a.group === b.group && a.kind === b.kind;
}

/** Removes duplicates of kinds. */
export function withoutDoubles(kinds: readonly WorkloadResource[]): readonly WorkloadResource[] {
  return kinds.filter((kind, index) => kinds.findIndex((each) => isSameKind(each, kind)) === index);
}
