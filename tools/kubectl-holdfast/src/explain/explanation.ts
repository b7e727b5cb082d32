import type { SourceName } from '../sources.ts';

/** What `explain` answers of one object. */
export interface Explanation {
  readonly subject: Subject;
  /** A sentence about the object's state, without its name. */
  readonly state: string;
  /** Who holds it, or has to do with it. */
  readonly holders: readonly Holder[];
  /** Who acts next, in order. */
  readonly next: readonly Step[];
  /** What happens if something is done. */
  readonly ifs: readonly Case[];
}

export interface Subject {
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume' | 'StatefulSet' | 'StorageClass';
  readonly namespace?: string;
  readonly name: string;
}

export interface Holder {
  readonly kind: 'finalizer' | 'pod' | 'attachment' | 'owner' | 'claim' | 'volume' | 'set' | 'class';
  readonly name: string;
  /** It keeps the object from going, now or once the object is deleted; `unknown`: what says so may not be read. */
  readonly holds: boolean | 'unknown';
  readonly words: string;
  readonly source?: SourceName;
}

export interface Step {
  /** The controller, or `nobody`. */
  readonly who: string;
  readonly does: string;
  readonly source: SourceName;
}

export interface Case {
  readonly what: string;
  readonly then: string;
  readonly source: SourceName;
}
