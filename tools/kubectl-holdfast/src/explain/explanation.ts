import type { AppName } from '../cluster/release.ts';
import type { SourceName } from '../sources.ts';

/** The answer of `explain` about one object. */
export interface Explanation {
  readonly subject: Subject;
  /** A sentence about the object's state, without its name. */
  readonly state: string;
  /** What holds the object, or is related to it. */
  readonly holders: readonly Holder[];
  /** Which controllers act next, in order. */
  readonly next: readonly Step[];
  /** What would happen if something were done. */
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
  /**
   * Whether it keeps the object from being removed, now or once the object is deleted; `unknown` if the
   * object that shows this may not be read.
   */
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

/** Warns that a controller of Holdfast might not act as said, because flags of it are not known. */
export function hiddenSteps(app: AppName, hidden: string | undefined, source: SourceName): readonly Step[] {
  return hidden === undefined
    ? []
    : [
        {
          who: `Holdfast ${app}`,
          does: `might act otherwise: not all of its flags are known (${hidden})`,
          source,
        },
      ];
}

export interface Case {
  readonly what: string;
  readonly then: string;
  readonly source: SourceName;
}
