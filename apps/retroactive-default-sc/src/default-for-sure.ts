import type { StorageClass } from '@holdfast/core';
import { defaultClass } from './decide.ts';

/**
 * The default among classes of whatever shape. A class is never taken back, so that one which can't be read keeps any from being given where it
 * might be the default itself:
 *
 * | class that is not terminating     | created                                     | might be the default |
 * |-----------------------------------|---------------------------------------------|----------------------|
 * | annotations say that it is not    | -                                           | no                   |
 * | annotations can't be read         | before the default among those that can be  | no                   |
 * | annotations can't be read         | at the same time, later, or not known       | yes                  |
 * | annotations say that it is        | not known                                   | yes                  |
 *
 * @throws Error that names such a class.
 */
export function defaultForSure(classes: readonly StorageClass[]): StorageClass | undefined {
  const odd = new Set(classes.filter(isOdd));
  const chosen = defaultClass(classes.filter((each) => !odd.has(each)));
  const doubtful = [...odd].find((each) => mightBeDefault(each, chosen));
  if (doubtful !== undefined) {
    throw new Error(
      `StorageClass "${doubtful.metadata.name}" can't be read, and might be the default class; mend it or delete it`,
    );
  }
  return chosen;
}

function isOdd(candidate: StorageClass): boolean {
  return annotationsOf(candidate) === undefined || madeOf(candidate) === undefined;
}

function mightBeDefault(odd: StorageClass, chosen: StorageClass | undefined): boolean {
  const annotations = annotationsOf(odd);
  if (annotations !== undefined) {
    // What is not odd but for its time.
    return defaultClass([{ ...odd, metadata: { ...odd.metadata, annotations } }]) !== undefined;
  }
  const isTerminating = typeof (odd.metadata.deletionTimestamp as unknown) === 'string';
  const [made, madeChosen] = [madeOf(odd) ?? '', chosen?.metadata.creationTimestamp ?? ''];
  return !isTerminating && (made === '' || madeChosen === '' || made >= madeChosen);
}

/** Undefined: they can't be read. */
function annotationsOf({ metadata }: StorageClass): Readonly<Record<string, string>> | undefined {
  const annotations: unknown = metadata.annotations ?? {};
  const isKnown = metadata.uid !== '' && typeof annotations === 'object' && !Array.isArray(annotations);
  return isKnown ? (annotations as Readonly<Record<string, string>>) : undefined;
}

/** Undefined: the time can't be read; empty: it has none. */
function madeOf({ metadata }: StorageClass): string | undefined {
  const made: unknown = metadata.creationTimestamp ?? '';
  return typeof made === 'string' ? made : undefined;
}
