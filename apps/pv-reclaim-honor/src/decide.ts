import type { Decision } from './decide/decision.ts';
import { heldBy } from './decide/held-by.ts';
import { decideHold } from './decide/hold.ts';
import { decideFinish, decideReclaim } from './decide/reclaim.ts';
import type { OurSnapshot, Snapshot } from './decide/snapshot.ts';

/**
 * The first row that fits decides. "Held": by one of our finalizers, ours being the keeper's.
 *
 * | volume                                            | answer           |
 * |---------------------------------------------------|------------------|
 * | gone, or somebody else's                          | none             |
 * | storage deleted, terminating and not held         | none             |
 * | storage deleted                                   | finish           |
 *
 * Whether it is held as it should be:
 *
 * | held             | gate | policy | claim    | terminating | else                         | answer           |
 * |------------------|------|--------|----------|-------------|------------------------------|------------------|
 * | -                | off  | -      | -        | yes         | in-tree, phase Bound         | none             |
 * | yes              | off  | -      | -        | -           | -                            | remove           |
 * | no               | off  | -      | -        | -           | -                            | none             |
 * | yes              | on   | others | -        | -           | -                            | remove           |
 * | no               | on   | others | -        | -           | -                            | none             |
 * | yes              | on   | Delete | never had| yes         | -                            | remove           |
 * | -                | on   | Delete | never had| -           | -                            | none             |
 * | no               | on   | Delete | -        | -           | phase not bound              | none             |
 * | no               | on   | Delete | -        | -           | nobody can delete            | none             |
 * | no               | on   | Delete | -        | yes         | -                            | warnOfLeak       |
 * | no               | on   | Delete | -        | no          | -                            | add              |
 * | by the stale one | on   | Delete | -        | no          | migration, either way        | add and remove   |
 *
 * Whether it is to be reclaimed, which is only asked of a volume that is held, with gate on and policy Delete:
 *
 * | claim | else                               | by the cache | by the API server |
 * |-------|------------------------------------|--------------|-------------------|
 * | lives | -                                  | none         | postpone          |
 * | gone  | mode guard                         | none         | none              |
 * | gone  | phase neither Released nor Failed  | none         | none              |
 * | gone  | attached, or storage shared        | postpone     | postpone          |
 * | gone  | -                                  | askServer    | reclaim           |
 *
 * "Phase not bound": neither Bound, Released nor Failed, so that no claim has had it yet; the finalizer comes with the binding.
 * A volume that is Released is still to be held before it is reclaimed: its policy might have become Delete only now.
 *
 * "Never had": `claimRef` has no UID. "Lives": a claim with that UID exists, whatever volume it is bound to.
 *
 * The phase is the binder's word, and is waited for besides the end of the claim: kube-controller-manager (1.31 and later) first of
 * all tries to put `kubernetes.io/pv-controller` back on a provisioned in-tree volume. The API server refuses that for one that is
 * terminating, so that a volume which lost the finalizer while it was Bound would stay Bound, protected and terminating for good.
 */
export function decide(snapshot: Snapshot): Decision {
  const { volume, keeper, storageDeleted } = snapshot;
  if (volume === undefined) {
    return { kind: 'none', reason: 'VolumeGone' };
  }
  if (keeper.kind === 'foreign') {
    return { kind: 'none', reason: 'NotOurs' };
  }
  const ours: OurSnapshot = { ...snapshot, volume, keeper, held: heldBy(volume, keeper) };
  if (storageDeleted) {
    return decideFinish(ours);
  }
  return decideHold(ours) ?? decideReclaim(ours);
}
