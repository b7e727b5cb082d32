import { keyOf, type ObjectKey } from '@holdfast/core';
import { quoted } from '../logging/quoted.ts';

/** The part of an object's metadata that could be read. */
export interface Identity {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
  readonly deletionTimestamp?: unknown;
}

/**
 * Thrown for an object of a list or of a watch that lacks the shape of its kind, or has no name or version. A
 * CustomResourceDefinition that checks nothing lets such objects in.
 */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
  /** Undefined if the name, or the namespace that it states, could not be read either. */
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
 * Checks the identity of an object. Objects without a UID would be indistinguishable, even as owners; a key
 * consists of a name and a namespace; and whether an object is being deleted decides about others. UIDs and
 * versions are remembered by the thousands, and appear in Events, so their length is limited.
 *
 * @throws Error if a stored object lacks what every stored object has.
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
  // Objects of one namespace arrive together.
  if (isEmpty(namespace) || namespace === lastNamespace) {
    return;
  }
  mustBeName('namespace', namespace);
  if (!isNamespace(namespace)) {
    throw new Error(`"metadata.namespace" is no name of a namespace: ${quoted(namespace)}`);
  }
  lastNamespace = namespace;
}

/** The last valid namespace. Every arriving object is checked, and tens of thousands arrive at once. */
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

/** Returns the version of an object or a list; undefined if it has none. */
export function versionIn({ resourceVersion }: Identity): string | undefined {
  return isText(resourceVersion) ? resourceVersion : undefined;
}

/**
 * Returns the version of a list or a bookmark; undefined if it has none. It excludes version 0, since a watch
 * from there could begin at any state.
 */
export function stateIn(metadata: Identity): string | undefined {
  const version = versionIn(metadata);
  return version === '0' ? undefined : version;
}

/** The most characters of a name of any kind: that of a DNS subdomain. A UID has 36, and a version 20. */
const longestName = 253;

/** Expects a text that is not empty. */
function isName(value: string): boolean {
  return value.length <= longestName && !value.includes('/');
}

/** Checks the characters that the API server allows in a namespace. */
function isNamespace(value: unknown): value is string {
  return isText(value) && isName(value) && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(value);
}

/** Go writes unset values in each of these ways. */
function isEmpty(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
