import type { Decision } from './decide/decision.ts';
import { heldBy, ownHolds } from './decide/held-by.ts';
import { decideAway, decideHold } from './decide/hold.ts';
import { decideFinish, decideReclaim } from './decide/reclaim.ts';
import type { OurSnapshot, Snapshot } from './decide/snapshot.ts';
import { decideUndoWindow, policyOf, strayMark } from './decide/undo-window.ts';

/**
 * Decides what to do about a volume: the first row that fits applies. "Held": the volume has a finalizer that
 * waits for the keeper, or that is recorded as ours. "Own": this app is known to have added it (see
 * `held-by.ts`), where another provisioner might use the same one.
 *
 * | volume                                            | answer           |
 * |---------------------------------------------------|------------------|
 * | gone, or somebody else's                          | none             |
 * | storage deleted, terminating and not held         | none             |
 * | storage deleted                                   | finish           |
 *
 * Whether it is held as it should be:
 *
 * | held             | gate | policy     | claim     | terminating | else                         | answer           |
 * |------------------|------|------------|-----------|-------------|------------------------------|------------------|
 * | -                | off  | -          | -         | yes         | in-tree, phase Bound         | none             |
 * | own              | off  | -          | -         | -           | -                            | remove           |
 * | not own          | off  | -          | -         | -           | -                            | none             |
 * | yes              | on   | others     | -         | -           | -                            | remove           |
 * | no               | on   | others     | -         | -           | -                            | none             |
 * | yes              | on   | not others | never had | yes         | -                            | remove           |
 * | -                | on   | not others | never had | -           | -                            | none             |
 * | yes              | on   | unknown    | -         | yes         | -                            | warnOfStuck      |
 * | yes              | on   | unknown    | -         | -           | phase Released or Failed     | warnOfStuck      |
 * | -                | on   | unknown    | -         | -           | -                            | none             |
 * | own, or stale    | on   | Delete     | -         | yes         | undeletable, phase Bound     | none             |
 * | own, or stale    | on   | Delete     | -         | -           | undeletable                  | remove           |
 * | not own          | on   | Delete     | -         | -           | undeletable                  | none             |
 * | no               | on   | Delete     | -         | yes         | undeletable for anybody      | warnOfLeak       |
 * | no               | on   | Delete     | -         | -           | the same, Released or Failed | warnOfLeak       |
 * | no               | on   | Delete     | -         | -           | undeletable, or not bound    | none             |
 * | no               | on   | Delete     | -         | yes         | recorded as deleted          | none             |
 * | no               | on   | Delete     | -         | yes         | -                            | warnOfLeak       |
 * | no               | on   | Delete     | -         | no          | -                            | add              |
 * | by a wrong one   | on   | Delete     | -         | no          | migration, another flag      | add and remove   |
 * | without a second | on   | Delete     | -         | no          | hostPath, `/tmp/` in it      | add              |
 *
 * Policy "others": Retain or Recycle; "unknown": any other value.
 *
 * "Undeletable": an in-tree volume that is not deleted here, because there is no plugin for it or the mode is
 * guard. Mode guard adds no in-tree finalizer at all. kube-controller-manager removes its own only where it
 * deletes the volume, and there (gate on, provisioned, not migrated) it also adds it; everywhere else ours
 * would stay forever.
 *
 * "Undeletable for anybody": static, not hostPath, and not of a plugin that can be migrated.
 * kube-controller-manager has no plugin that deletes such volumes.
 *
 * "Stale", "by a wrong one": held by the finalizer from before a migration, or from an earlier
 * `--csi-finalizer`. A record of a finalizer that is gone is removed in the same cases as a finalizer of our
 * own.
 *
 * A volume with a finalizer of our own, whose keeper is not here (a driver that is not connected, a folder
 * outside the root):
 *
 * | gate | policy | claim    | else                                      | answer      |
 * |------|--------|----------|-------------------------------------------|-------------|
 * | -    | others | -        | -                                         | remove      |
 * | -    | -      | never had| terminating                               | remove      |
 * | off  | -      | -        | this process has no driver's socket       | remove      |
 * | on   | -      | gone     | phase Released or Failed                  | warnOfStuck |
 * | -    | -      | -        | -                                         | none        |
 *
 * If this process has a socket, turning its gate off only ends the hold on volumes of its own drivers, since
 * the gate might be on in other processes.
 *
 * Whether to reclaim it. This is only decided for a volume that is held, with gate on and policy Delete:
 *
 * | claim | else                               | by the cache | by the API server |
 * |-------|------------------------------------|--------------|-------------------|
 * | lives | mode guard                         | none         | postpone          |
 * | lives | phase neither Released nor Failed  | none         | postpone          |
 * | lives | -                                  | postpone     | postpone          |
 * | gone  | mode guard                         | none         | none              |
 * | gone  | phase neither Released nor Failed  | none         | none              |
 * | gone  | another is bound to the volume     | postpone     | postpone          |
 * | gone  | claims of a namespace not listed   | postpone     | -                 |
 * | gone  | attached, or storage shared        | postpone     | postpone          |
 * | gone  | another can't be read, might share | -            | refuse            |
 * | gone  | undo window over, not terminating  | askServer    | deleteObject      |
 * | gone  | -                                  | askServer    | reclaim           |
 *
 * The policy here is the effective one. Between the two decisions an undo window can hold up the reclaim, see
 * decide/undo-window.ts.
 *
 * "Not bound": phase Pending, Available or none, so that no claim has had it yet; the finalizer is added when
 * it is bound. A volume that is Released still has to be held before it is reclaimed: its policy might have
 * become Delete only now.
 *
 * "Never had": `claimRef` has no UID. "Lives": a claim with that UID exists, whatever volume it is bound to.
 * "Another is bound": a claim with another UID names the volume and has been bound, whether at the namespace and name
 * in `claimRef` or elsewhere.
 *
 * The phase is set by the binder, and the reclaim waits for it in addition to the end of the claim.
 * kube-controller-manager (1.31 and later) first tries to put `kubernetes.io/pv-controller` back on a
 * provisioned in-tree volume. The API server refuses that for a terminating one. So a volume that lost the
 * finalizer while it was Bound would stay Bound, protected and terminating forever.
 */
export function decide(snapshot: Snapshot): Decision {
  const { volume, keeper, storageDeleted } = snapshot;
  if (volume === undefined) {
    return { kind: 'none', reason: 'VolumeGone' };
  }
  if (keeper.kind === 'foreign') {
    return { kind: 'none', reason: 'NotOurs' };
  }
  if (keeper.kind === 'away') {
    return decideAway({ ...snapshot, volume, keeper });
  }
  const ours: OurSnapshot = {
    ...snapshot,
    volume,
    keeper,
    held: heldBy(volume, keeper),
    own: ownHolds(volume, keeper.kind === 'csi' ? keeper.finalizer : undefined),
    policy: policyOf(volume, snapshot.undo, snapshot.mode),
  };
  if (storageDeleted) {
    return decideFinish(ours);
  }
  const hold = decideHold(ours);
  if (hold !== undefined && hold.kind !== 'none') {
    return hold;
  }
  return strayMark(ours) ?? hold ?? decideUndoWindow(ours) ?? decideReclaim(ours);
}
