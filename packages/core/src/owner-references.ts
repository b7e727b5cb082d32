import type { KubernetesObject, OwnerReference } from './resources.ts';

/**
 * The metadata that matters for ownership. The object need not be stored yet: references are best set when it
 * is created.
 */
export interface Dependent {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
}

/** Returns the owner reference of the object's managing controller; the API server allows at most one. */
export function controllerOf(object: Dependent): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * Returns whether this owner is the object's managing controller. It compares UIDs, since names are reused.
 */
export function isControlledBy(object: Dependent, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Returns whether this owner (by UID) is among the object's owners, as controller or not. */
export function isOwnedBy(object: Dependent, owner: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false;
}
