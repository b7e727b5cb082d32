import { statefulSets } from '@holdfast/core';
import { quoted, UsageError } from '@holdfast/runtime';
import { workloadsFlag, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { AtWork } from './holdfast-at-work.ts';

/** The kinds that statefulset-pvc-retention looks after by its flags; its default where they are not known, or can't be read. */
export function workloadsOf({ flags }: Pick<AtWork, 'flags'>): readonly WorkloadResource[] {
  const given = flags.get('workloads');
  const read = given === undefined ? undefined : workloadsFlag.schema.safeParse(given);
  return read?.success === true ? read.data : [statefulSets];
}

/**
 * The kind that a user names: `sts`, or resource and group as kubectl has them, `statefulsets.apps.kruise.io`.
 *
 * @param known those that it can be.
 * @throws UsageError naming those that are known.
 */
export function workloadNamed(name: string, known: readonly WorkloadResource[]): WorkloadResource {
  const wanted = name.toLowerCase();
  const found = known.find(({ plural, kind, group }) =>
    [plural, kind.toLowerCase()].some((each) => `${each}.${group}` === wanted),
  );
  if (found === undefined) {
    const names = known.map(({ plural, group }) => `${plural}.${group}`).join(', ');
    throw new UsageError(
      `${quoted(name)} is no kind that statefulset-pvc-retention looks after (${names}); name it as --workloads=GROUP/VERSION/KIND`,
    );
  }
  return found;
}

export function isSameKind(a: WorkloadResource, b: WorkloadResource): boolean {
  return a.group === b.group && a.kind === b.kind;
}

/** All of these, each kind once. */
export function withoutDoubles(kinds: readonly WorkloadResource[]): readonly WorkloadResource[] {
  return kinds.filter((kind, index) => kinds.findIndex((each) => isSameKind(each, kind)) === index);
}
