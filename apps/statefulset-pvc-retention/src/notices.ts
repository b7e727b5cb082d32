import { persistentVolumeClaims, type KubernetesObject, type PersistentVolumeClaim } from '@holdfast/core';
import type { EventRecorder, EventText } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { Decision, NoneDecision } from './decide/decision.ts';
import type { KindedWorkload } from './view.ts';
import type { Warning } from './workload.ts';

/**
 * Records Events on a claim and its workload that say what happens to the claim, without repeating one for a
 * claim.
 */
export interface Notices {
  /** Returns whether the decision is worth an Event, and the claim's last Event said something else. */
  hasNews(claim: PersistentVolumeClaim, decision: Decision): boolean;
  /** Reports why a claim is left as it is, if its users want to know. */
  kept(owner: KindedWorkload, claim: PersistentVolumeClaim, decision: NoneDecision): void;
  /**
   * Reports once on a workload what it asks for and does not get. Pass all warnings each time, and none if it
   * gets everything.
   */
  warned(owner: KindedWorkload, warnings: readonly Warning[]): void;
  /** @param when for example `with pod web-1` */
  willBeDeleted(owner: KindedWorkload, claim: PersistentVolumeClaim, when: string): void;
  /** @param deleteAfter RFC 3339 */
  willGoWithWorkload(claim: PersistentVolumeClaim, deleteAfter: string): void;
  /** Reports why a claim stays whose workload is gone, if its users want to know. */
  left(claim: PersistentVolumeClaim, decision: NoneDecision): void;
  /** Call when a claim or a workload is gone. */
  forget(object: KubernetesObject): void;
}

type Kept = Pick<EventText, 'reason' | 'action'> & { readonly why: string };

const keptReasons: Readonly<Partial<Record<NoneDecision['reason'], Kept>>> = {
  ForeignController: {
    reason: 'ClaimKept',
    action: 'None',
    why: 'it has another controller, so the retention policy is not applied to it',
  },
  StaleReference: {
    reason: 'ClaimKept',
    action: 'None',
    why: 'it refers to an earlier workload or pod of the same name, and what becomes of it is up to the garbage collector',
  },
  SharedName: {
    reason: 'ClaimKept',
    action: 'None',
    why: 'two workloads make claims of this name, so neither policy is applied to it',
  },
  OtherOwners: {
    reason: 'ClaimKept',
    action: 'None',
    why: 'it has another owner',
  },
  WindowUnusable: {
    reason: 'ClaimKept',
    action: 'None',
    why: 'the requested undo window is not possible; see the Event UndoWindowUnusable',
  },
  ScaleDownMissed: {
    reason: 'ScaleDownMissed',
    action: 'None',
    why: 'its ordinal was scaled down unseen; delete it by hand if its data is not needed',
  },
};

/** The same for a claim whose workload is gone. */
const leftReasons: Readonly<Partial<Record<NoneDecision['reason'], string>>> = {
  EndUnseen:
    'its workload was deleted unseen, with or without its dependents; delete it by hand if its data is not needed',
  OtherOwners: 'it has another owner',
};

export function createNotices(events: EventRecorder, logger: Logger): Notices {
  /** The content of the last Event on a claim, by the claim's UID. */
  const said = new Map<string, string>();
  /** The notes of the warnings that apply to a workload, by its UID. */
  const warned = new Map<string, ReadonlySet<string>>();

  const record = (
    { resource, workload }: KindedWorkload,
    claim: PersistentVolumeClaim,
    key: string,
    text: Omit<EventText, 'related'>,
  ): void => {
    if (said.get(claim.metadata.uid) === key) {
      return;
    }
    said.set(claim.metadata.uid, key);
    events.record(persistentVolumeClaims, claim, { ...text, related: { resource, object: workload } });
    events.record(resource, workload, {
      ...text,
      related: { resource: persistentVolumeClaims, object: claim },
    });
  };

  const recordOnClaim = (claim: PersistentVolumeClaim, key: string, text: EventText): void => {
    if (said.get(claim.metadata.uid) !== key) {
      said.set(claim.metadata.uid, key);
      events.record(persistentVolumeClaims, claim, text);
    }
  };

  return {
    hasNews: (claim, decision) =>
      decision.kind === 'none' &&
      keptReasons[decision.reason] !== undefined &&
      said.get(claim.metadata.uid) !== decision.reason,
    kept: (owner, claim, { reason }) => {
      const text = keptReasons[reason];
      if (text !== undefined) {
        const note = `Claim ${claim.metadata.name} is kept: ${text.why}`;
        record(owner, claim, reason, { type: 'Warning', reason: text.reason, action: text.action, note });
      }
    },
    warned: ({ resource, workload }, warnings) => {
      const { uid, namespace, name } = workload.metadata;
      const before = warned.get(uid);
      if (warnings.length === 0) {
        warned.delete(uid);
        return;
      }
      warned.set(uid, new Set(warnings.map(({ note }) => note)));
      for (const { reason, note } of warnings.filter((warning) => before?.has(warning.note) !== true)) {
        logger.warn(
          { namespace, workload: name, reason, note },
          'Workload asks for something that is not possible',
        );
        events.record(resource, workload, { type: 'Warning', reason, action: 'None', note });
      }
    },
    willBeDeleted: (owner, claim, when) =>
      record(owner, claim, when, {
        type: 'Normal',
        reason: 'ClaimWillBeDeleted',
        action: 'Delete',
        note: `Claim ${claim.metadata.name} will be deleted ${when}: its ordinal was scaled down`,
      }),
    willGoWithWorkload: (claim, deleteAfter) =>
      recordOnClaim(claim, `with workload after ${deleteAfter}`, {
        type: 'Normal',
        reason: 'ClaimWillBeDeleted',
        action: 'Delete',
        note: `Claim ${claim.metadata.name} will be deleted after ${deleteAfter}: its workload was deleted; make the workload again to keep it`,
      }),
    left: (claim, { reason }) => {
      const why = leftReasons[reason];
      if (why !== undefined) {
        recordOnClaim(claim, reason, {
          type: 'Warning',
          reason: 'ClaimKept',
          action: 'None',
          note: `Claim ${claim.metadata.name} is kept: ${why}`,
        });
      }
    },
    forget: ({ metadata }) => {
      said.delete(metadata.uid);
      warned.delete(metadata.uid);
    },
  };
}
