import type { ObjectMeta } from './kube-object.ts';
import { type GroupName, conflict } from './status-error.ts';

/** What must be true of an object for its deletion to go ahead. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Throws 409 if the object is a different one or has changed. */
export function checkPreconditions(
  kind: GroupName,
  meta: ObjectMeta,
  { uid, resourceVersion }: Preconditions,
): void {
  const { name = '' } = meta;
  if (uid !== undefined && uid !== meta.uid) {
    throw conflict(
      kind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

/**
 * The same check with the messages of the kinds that make it themselves before they mark an object:
 * namespaces and definitions. Throws 409.
 */
export function checkOwnPreconditions(
  resource: GroupName,
  { name = '', uid = '', resourceVersion = '' }: ObjectMeta,
  expected: Preconditions,
): void {
  const check = (field: string, wanted: string | undefined, is: string): void => {
    if (wanted !== undefined && wanted !== is) {
      const problem = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${is}`;
      throw conflict(resource, name, problem);
    }
  };
  check('UID', expected.uid, uid);
  check('ResourceVersion', expected.resourceVersion, resourceVersion);
}
