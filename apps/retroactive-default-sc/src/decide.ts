import { isTerminating, type PersistentVolumeClaim, type StorageClass } from '@holdfast/core';

/** Everything that the decision is based on. */
export interface Snapshot {
  /** The claim in the cache; undefined if it is gone. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The default class in the cache; undefined if there is none. */
  readonly cachedDefault: StorageClass | undefined;
  /** What the API server itself returned; undefined if it was not asked. */
  readonly live: Live | undefined;
  /** Whether the API server was asked (once, at the start) if it allows any claim to get a class. */
  readonly rehearsed: boolean;
  /** Milliseconds until a refused claim is tried again; 0 means now. */
  readonly wait: number;
}

/** What a live list of the classes showed. */
export interface Live {
  /** The default in the cache at the time of the list. If it has changed since, the list is out of date. */
  readonly askedUnder: StorageClass;
  readonly defaultClass: StorageClass | undefined;
}

type NotWaiting = 'Terminating' | 'ClassChosen' | 'BetaClassChosen' | 'VolumeSet' | 'BindCompleted';

/** Look again later. */
type Postponement = {
  readonly kind: 'postpone';
  readonly claim: PersistentVolumeClaim;
  /** The name of the default class in the cache. */
  readonly className: string;
} & (
  | {
      readonly reason: 'Refused';
      /** Milliseconds until the claim is tried again. */
      readonly delay: number;
    }
  /**
   * The cache has a default and the API server has none. If it returned before the cache saw it go, no event
   * would come.
   */
  | { readonly reason: 'DefaultGone' }
);

export type Decision =
  | { readonly kind: 'none'; readonly reason: 'ClaimGone' | 'NoDefaultClass' | NotWaiting }
  /** Send the patch as a dry run, to find out whether the API server allows any such change. */
  | {
      readonly kind: 'rehearse';
      readonly claim: PersistentVolumeClaim;
      /** Undefined if there is no class to try with. */
      readonly class: StorageClass | undefined;
      readonly reason: 'ServerUnknown';
    }
  | Postponement
  /**
   * A class is never taken back, so a default in the cache is not enough: list the classes, then decide
   * again.
   */
  | {
      readonly kind: 'askLive';
      readonly claim: PersistentVolumeClaim;
      readonly cachedDefault: StorageClass;
      readonly reason: 'DefaultInCache';
    }
  | {
      readonly kind: 'assign';
      readonly claim: PersistentVolumeClaim;
      readonly class: StorageClass;
      readonly reason: 'DefaultClass';
    };

/**
 * Decides what to do about a claim.
 *
 * | claim                                                    | rehearsed | default, cache | wait | default, live | answer   |
 * |----------------------------------------------------------|-----------|----------------|------|---------------|----------|
 * | gone                                                     | -         | -              | -    | -             | none     |
 * | terminating, has a class (an empty one is one), has the  | -         | -              | -    | -             | none     |
 * | beta annotation, has a volume, or is bound               |           |                |      |               |          |
 * | waits                                                    | no        | -              | -    | -             | rehearse |
 * | waits                                                    | yes       | none           | -    | -             | none     |
 * | waits                                                    | yes       | one            | > 0  | -             | postpone |
 * | waits                                                    | yes       | one            | 0    | not asked     | askLive  |
 * | waits                                                    | yes       | one            | 0    | none          | postpone |
 * | waits                                                    | yes       | one            | 0    | one           | assign   |
 *
 * A live answer only counts while the cache has the same default as when the API server was asked.
 */
export function decide({ claim, cachedDefault, live, rehearsed, wait }: Snapshot): Decision {
  if (claim === undefined) {
    return { kind: 'none', reason: 'ClaimGone' };
  }
  const reason = whyNotWaiting(claim);
  if (reason !== undefined) {
    return { kind: 'none', reason };
  }
  if (!rehearsed) {
    return { kind: 'rehearse', claim, class: cachedDefault, reason: 'ServerUnknown' };
  }
  if (cachedDefault === undefined) {
    return { kind: 'none', reason: 'NoDefaultClass' };
  }
  if (wait > 0) {
    return {
      kind: 'postpone',
      claim,
      className: cachedDefault.metadata.name,
      delay: wait,
      reason: 'Refused',
    };
  }
  if (live === undefined || !isSameState(live.askedUnder, cachedDefault)) {
    return { kind: 'askLive', claim, cachedDefault, reason: 'DefaultInCache' };
  }
  return live.defaultClass === undefined
    ? {
        kind: 'postpone',
        claim,
        className: cachedDefault.metadata.name,
        reason: 'DefaultGone',
      }
    : { kind: 'assign', claim, class: live.defaultClass, reason: 'DefaultClass' };
}

/** Returns whether the claim has neither class nor volume, and can still get both. */
export function isWaiting(claim: PersistentVolumeClaim): boolean {
  return whyNotWaiting(claim) === undefined;
}

function whyNotWaiting({ metadata, spec }: PersistentVolumeClaim): NotWaiting | undefined {
  const { annotations = {} } = metadata;
  if (metadata.deletionTimestamp !== undefined) {
    return 'Terminating';
  }
  if (spec?.storageClassName !== undefined) {
    return 'ClassChosen';
  }
  if (annotations[claimAnnotations.betaClass] !== undefined) {
    return 'BetaClassChosen';
  }
  if ((spec?.volumeName ?? '') !== '') {
    return 'VolumeSet';
  }
  return annotations[claimAnnotations.bindCompleted] === undefined ? undefined : 'BindCompleted';
}

/** A claim with one of these annotations does not wait, whatever the value. */
export const claimAnnotations = {
  /**
   * The class, in the form from before `spec.storageClassName` existed; in the API server it still overrides
   * the field.
   */
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  bindCompleted: 'pv.kubernetes.io/bind-completed',
} as const;

/** Annotations that make a class the default one when they are exactly "true". */
export const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

/**
 * Returns the default among the classes: the newest, then the first by name, as in the API server's admission
 * plugin.
 */
export function defaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  let chosen: StorageClass | undefined;
  for (const candidate of classes) {
    if (isDefault(candidate) && (chosen === undefined || goesBefore(candidate, chosen))) {
      chosen = candidate;
    }
  }
  return chosen;
}

function isDefault(candidate: StorageClass): boolean {
  const { annotations } = candidate.metadata;
  return !isTerminating(candidate) && defaultClassAnnotations.some((name) => annotations?.[name] === 'true');
}

/** Creation times are RFC 3339 in UTC with whole seconds, so they can be compared as text. */
function goesBefore({ metadata: a }: StorageClass, { metadata: b }: StorageClass): boolean {
  const [madeA, madeB] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return madeA === madeB ? a.name < b.name : madeA > madeB;
}

function isSameState({ metadata: a }: StorageClass, { metadata: b }: StorageClass): boolean {
  return a.uid === b.uid && a.resourceVersion === b.resourceVersion;
}
