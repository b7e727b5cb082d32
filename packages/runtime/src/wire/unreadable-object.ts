import { keyOf, type ObjectKey } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';

/** As much of an object's metadata as could be read. */
export interface Identity {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
  readonly deletionTimestamp?: unknown;
}

/**
 * An object of a list or of a watch is not of the shape that its kind has, or has no name or version. A CustomResourceDefinition that
 * checks nothing lets that in.
 */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
  /** undefined when the name, or the namespace that it gives, could not be read either. */
  readonly key: ObjectKey | undefined;
  readonly resourceVersion: string | undefined;

  constructor({ name, namespace, resourceVersion }: Identity, cause: unknown) {
    const isKnown = isText(name) && isName(name) && (isEmpty(namespace) || isNamespace(namespace));
    const key = isKnown ? keyOf({ name, ...(isNamespace(namespace) ? { namespace } : {}) }) : undefined;
    super(
      `${key ?? 'an object without a name'} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
    this.key = key;
    this.resourceVersion = versionIn({ resourceVersion });
  }
}

/**
 * An object without a UID would be the same as any other without one, be it its owner; a key is made of a name and a namespace; and whether it is being
 * deleted decides what becomes of others. UIDs and versions are remembered by the thousands, and go into Events.
 *
 * @throws Error when an object that is stored lacks what each of them has.
 */
export function checkIdentity({ name, namespace, uid, resourceVersion, deletionTimestamp }: Identity): void {
  mustBeText('name', name);
  mustBeText('uid', uid);
  mustBeText('resourceVersion', resourceVersion);
  mustBeShort('uid', uid);
  mustBeShort('resourceVersion', resourceVersion);
  mustBeTextOrUnset('namespace', namespace);
  mustBeTextOrUnset('deletionTimestamp', deletionTimestamp);
  mustBeName('name', name);
  // Objects of one namespace come together.
  if (isEmpty(namespace) || namespace === lastNamespace) {
    return;
  }
  mustBeName('namespace', namespace);
  if (!isNamespace(namespace)) {
    throw new Error(`"metadata.namespace" is no name of a namespace: ${quoted(namespace)}`);
  }
  lastNamespace = namespace;
}

/** The last one that was found to be a namespace: each object that comes is checked, and tens of thousands come at once. */
let lastNamespace: string | undefined;

function mustBeText(field: string, value: unknown): asserts value is string {
  if (!isText(value)) {
    throw new Error(`"metadata.${field}" is no text`);
  }
}

function mustBeShort(field: string, value: string): void {
  if (value.length > longestName) {
    throw new Error(`"metadata.${field}" is too long: ${quoted(value)}`);
  }
}

function mustBeName(field: string, value: string): void {
  if (!isName(value)) {
    throw new Error(`"metadata.${field}" is no name: ${quoted(value)}`);
  }
}

function mustBeTextOrUnset(field: string, value: unknown): asserts value is string | null | undefined {
  if (!isEmpty(value) && typeof value !== 'string') {
    throw new Error(`"metadata.${field}" is no text`);
  }
}

/** The version of an object or a list; undefined: it has none. */
export function versionIn({ resourceVersion }: Identity): string | undefined {
  return isText(resourceVersion) ? resourceVersion : undefined;
}

/** The state that a list or a bookmark is of; undefined: none. To begin a watch at version 0 is to begin anywhere. */
export function stateIn(metadata: Identity): string | undefined {
  const version = versionIn(metadata);
  return version === '0' ? undefined : version;
}

/** Characters of a name at the most, whatever the kind: that of a DNS subdomain. A UID has 36, and a version 20. */
const longestName = 253;

/** Of a text that is not empty. */
function isName(value: string): boolean {
  return value.length <= longestName && !value.includes('/');
}

/** Of the characters that the API server lets a namespace have. */
function isNamespace(value: unknown): value is string {
  return isText(value) && isName(value) && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(value);
}

/** Go writes what is not set in each of these ways. */
function isEmpty(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
