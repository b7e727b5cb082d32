/*
 * What the page is sent: which object holds which, with the reasons in words. All texts are plain; code that
 * shows them must not interpret them as markup.
 */

/** In the order of the columns. */
export const kinds = ['set', 'pod', 'claim', 'volume', 'class'] as const;
export type Kind = (typeof kinds)[number];

export interface Item {
  /** Unique in its group: `claim data-web-0`. */
  readonly id: string;
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
  /** A few words: `Bound`, `Running on node-1`. */
  readonly state: string;
  readonly finalizers: readonly string[];
  /** Since when it is being deleted, as the API server wrote it. */
  readonly deletedAt?: string;
  /** If it is being deleted: what it still waits for, `kubernetes.io/pvc-protection`, or `nobody`. */
  readonly heldBy?: string;
  /** The end of its undo window. `due` is undefined if the time cannot be read; then nothing is deleted. */
  readonly mark?: Mark;
  /** One sentence each about what removes its finalizers, owners that are not drawn, and attachments. */
  readonly notes: readonly string[];
  /** It is named by another object but does not exist or cannot be read, so there is nothing to explain. */
  readonly isMissing?: true;
}

export interface Mark {
  /** Milliseconds since 1970. */
  readonly due: number | undefined;
  /** It is deleted later, or might be; a note says why. */
  readonly isEarliest?: true;
  readonly because: string;
  /** How to keep it. */
  readonly keep: string;
}

/**
 * `holds`: the left object keeps the right one from being removed. `owns`: the right object is removed with
 * the left one. `names`: neither.
 */
export type LinkKind = 'holds' | 'owns' | 'names';

export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** A sentence with the names of both objects. */
  readonly words: string;
}

/**
 * A StatefulSet with everything that depends on it; or what belongs to no set in a namespace; or what belongs
 * to no namespace.
 */
export interface Group {
  /** `shop/web`, `shop/` or `/`. */
  readonly id: string;
  readonly title: string;
  readonly items: readonly Item[];
  readonly links: readonly Link[];
}

/** What has changed since the last message; the first message contains everything. */
export interface Message {
  /** Milliseconds since 1970, by the clock that measures undo windows. */
  readonly now: number;
  /** `namespace shop`. */
  readonly scope: string;
  /** Whether the first lists have come, or were refused. */
  readonly isComplete: boolean;
  /** What cannot be seen, and why; empty if everything is followed. */
  readonly troubles: readonly string[];
  readonly groups: readonly Group[];
  /** The IDs of the groups that no longer exist. */
  readonly gone: readonly string[];
}
