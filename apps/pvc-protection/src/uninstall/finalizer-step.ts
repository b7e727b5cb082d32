import {
  finalizers,
  hasFinalizer,
  isTerminating,
  objectKey,
  persistentVolumeClaims,
  type ObjectKey,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  MustStay,
  systemClock,
  type ApiClient,
  type Clock,
  type GroundedPatch,
  type Look,
  type UninstallStep,
} from '@holdfast/runtime';
import { decide, type Live } from '../decide.ts';
import { liveLists } from '../live-lists.ts';
import { createLiveLookups, firstToAge, StillListing } from '../live-lookup.ts';
import { nameSomePods } from '../name-some-pods.ts';
import { releasePatch } from '../release-patch.ts';
import { slimClaim } from '../slim.ts';
import { isPutBack } from './put-back.ts';
import { takeOffPatch } from './take-off-patch.ts';

export interface UninstallOptions {
  readonly client: ApiClient;
  /** Whether gate WaitForVolumeDetach is on. */
  readonly waitForDetach: boolean;
  /**
   * How long to wait for another controller that might put the finalizer back, in milliseconds. Default: 30
   * s.
   */
  readonly patience?: number;
  /** For how long a claim waits for a list, and how old a list is. Default: the machine's. */
  readonly clock?: Clock;
}

const defaultPatience = 30_000;

/**
 * Returns the step that takes the finalizer off claims.
 *
 * | claim                                   | answer                                        |
 * |-----------------------------------------|-----------------------------------------------|
 * | does not have the finalizer             | nothing                                       |
 * | not terminating                         | removed, unless it is terminating by then     |
 * | terminating, live lists show no user    | removed: the claim goes                       |
 * | terminating, a pod uses it              | stays: logged, counted, exit code 1           |
 *
 * If another controller puts the finalizer back, nothing is removed at all: that controller releases the
 * claims.
 */
export function finalizerStep({
  client,
  waitForDetach,
  patience = defaultPatience,
  clock = systemClock,
}: UninstallOptions): UninstallStep<PersistentVolumeClaim> {
  const judged = new Map<ObjectKey, PersistentVolumeClaim>();
  const openLookup = createLiveLookups({
    claims: judged,
    isServed: isTerminating,
    clock,
    lookClock: clock,
    ...liveLists(client),
  });

  /** @throws MustStay if a pod uses the claim. */
  const letGo = async (claim: PersistentVolumeClaim, signal: AbortSignal): Promise<GroundedPatch> => {
    const key = objectKey(claim);
    judged.set(key, claim);
    const lookup = openLookup([key]);
    let look: Look | undefined;
    let live: Live | undefined;
    let isPutOff = false;
    try {
      for (;;) {
        const decision = decide({
          claim,
          cachedPods: [],
          cachedNodes: new Set(),
          live,
          protect: false,
          waitForDetach,
        });
        switch (decision.kind) {
          case 'askPods': {
            const answer = await lookup.podsNaming(claim, signal);
            look = answer.look;
            live = { claimUid: claim.metadata.uid, pods: answer.pods, nodes: undefined };
            break;
          }
          case 'askAttachments': {
            const answer = await lookup.nodesAttachedTo(claim, signal);
            look = look === undefined ? answer.look : firstToAge(look, answer.look);
            live = { claimUid: claim.metadata.uid, pods: live?.pods ?? [], nodes: answer.nodes };
            break;
          }
          case 'postpone':
            throw new MustStay(
              `it is terminating, and held by ${nameSomePods(decision.pods)} (${decision.reason}); end them, and run this again`,
            );
          default:
            if (decision.kind !== 'removeFinalizer' || look === undefined) {
              throw new Error(`decided ${decision.kind} on a terminating claim that has the finalizer`);
            }
            return { operations: releasePatch(claim), look };
        }
      }
    } catch (error) {
      isPutOff = error instanceof StillListing;
      throw error;
    } finally {
      // The next list also serves the claims that were put off.
      if (!isPutOff) {
        judged.delete(key);
      }
    }
  };

  return {
    what: `finalizer ${finalizers.pvcProtection}`,
    resource: persistentVolumeClaims,
    projection: slimClaim,
    isOurs: async (options) => !(await isPutBack({ ...options, client }, patience)),
    takeBack: (claim, { signal }) => {
      if (!hasFinalizer(claim, finalizers.pvcProtection)) {
        return undefined;
      }
      return isTerminating(claim) ? letGo(claim, signal) : takeOffPatch(claim);
    },
  };
}
