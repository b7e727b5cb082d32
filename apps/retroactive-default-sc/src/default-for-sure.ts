import { parseTimestamp, type StorageClass } from '@holdfast/core';
import { defaultClass, defaultClassAnnotations } from './decide.ts';

/**
 * Returns the default among classes of any shape. Since a class is never taken back, an unreadable class that
 * might be the default itself prevents any from being assigned:
 *
 * | class that is not terminating     | created                                     | might be the default |
 * |-----------------------------------|---------------------------------------------|----------------------|
 * | annotations say that it is not    | -                                           | no                   |
 * | annotations cannot be read        | before the default among those that can be  | no                   |
 * | annotations cannot be read        | at the same time, later, or not known       | yes                  |
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
  return !hasLegibleAnnotations(candidate) || madeOf(candidate) === undefined;
}

function mightBeDefault(odd: StorageClass, chosen: StorageClass | undefined): boolean {
  if (hasLegibleAnnotations(odd)) {
    // Only its time is malformed.
    return defaultClass([odd]) !== undefined;
  }
  const isTerminating = typeof (odd.metadata.deletionTimestamp as unknown) === 'string';
  const [made, madeChosen] = [madeOf(odd) ?? '', chosen?.metadata.creationTimestamp ?? ''];
  return !isTerminating && (made === '' || made >= madeChosen);
}

function hasLegibleAnnotations({ metadata }: StorageClass): boolean {
  const annotations: unknown = metadata.annotations ?? {};
  if (metadata.uid === '' || typeof annotations !== 'object' || Array.isArray(annotations)) {
    return false;
  }
  const known = annotations as Readonly<Record<string, unknown>>;
  // A value of true is not "true", but its writer meant something.
  return defaultClassAnnotations.every((name) => typeof (known[name] ?? '') === 'string');
}

/**
 * The form in which the API server writes times, with whole seconds in UTC, so that their texts have the
 * order of the times. No other form of RFC 3339 is as short.
 */
const writtenTime = '2006-01-02T15:04:05Z';

/** Undefined if the time cannot be read. The API server sets it on each object that it stores. */
function madeOf({ metadata }: StorageClass): string | undefined {
  const made: unknown = metadata.creationTimestamp;
  return typeof made === 'string' && made.length === writtenTime.length && parseTimestamp(made) !== undefined
    ? made
    : undefined;
}
