import { keyOf, type ObjectKey } from '@holdfast/core';

/** As much of an object's metadata as could be read. */
export interface Identity {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly resourceVersion?: unknown;
}

/**
 * An object of a list or of a watch is not of the shape that its kind has, or has no name or version. A CustomResourceDefinition that
 * checks nothing lets that in.
 */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
  /** undefined when the name could not be read either. */
  readonly key: ObjectKey | undefined;
  readonly resourceVersion: string | undefined;

  constructor({ name, namespace, resourceVersion }: Identity, cause: unknown) {
    const key = isText(name) ? keyOf({ name, ...(isText(namespace) ? { namespace } : {}) }) : undefined;
    super(
      `${key ?? 'an object without a name'} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
    this.key = key;
    this.resourceVersion = isText(resourceVersion) ? resourceVersion : undefined;
  }
}

/** @throws Error when an object that came in a list or a watch lacks what every object has. */
export function checkIdentity({ name, resourceVersion }: Identity): void {
  if (!isText(name)) {
    throw new Error('"metadata.name" is no text');
  }
  if (!isText(resourceVersion)) {
    throw new Error('"metadata.resourceVersion" is no text');
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
