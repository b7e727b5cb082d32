/*
 * What the page is sent: who holds what, with the words of why. All texts are plain; whoever shows them must not read them as markup.
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
  /** Of what is being deleted: what it still waits for, `kubernetes.io/pvc-protection`, or `nobody`. */
  readonly heldBy?: string;
  /** The end of its undo window; due undefined: its time can't be read, and nothing is deleted. */
  readonly mark?: Mark;
  /** Who takes its finalizers off, owners that are not drawn, attachments: a sentence each. */
  readonly notes: readonly string[];
  /** It is named, and is not there or can't be read: there is nothing to explain. */
  readonly isMissing?: true;
}

export interface Mark {
  /** Milliseconds since 1970. */
  readonly due: number | undefined;
  readonly because: string;
  /** How to keep it. */
  readonly keep: string;
}

/** `holds`: the left keeps the right from going. `owns`: the right goes with the left. `names`: neither. */
export type LinkKind = 'holds' | 'owns' | 'names';

export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** A sentence with the names of both. */
  readonly words: string;
}

/** A StatefulSet and all that hangs on it, or what is of no set in a namespace, or what is of no namespace. */
export interface Group {
  /** `shop/web`, `shop/` or `/`. */
  readonly id: string;
  readonly title: string;
  readonly items: readonly Item[];
  readonly links: readonly Link[];
}

/** What has changed since the last message; the first one has all. */
export interface Message {
  /** Milliseconds since 1970 by the clock that undo windows are measured with. */
  readonly now: number;
  /** `namespace shop`. */
  readonly scope: string;
  /** The first lists have come, or were refused. */
  readonly isComplete: boolean;
  /** What can't be seen, and why; empty when all is followed. */
  readonly troubles: readonly string[];
  readonly groups: readonly Group[];
  /** IDs of the groups that are no more. */
  readonly gone: readonly string[];
}
