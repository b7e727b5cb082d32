import type { KubernetesObject, OwnerReference } from './resources.ts';

/** What owners are asked of. It need not be stored yet: references are best set on what is about to be created. */
export interface Dependent {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly OwnerReference[] | undefined;
  };
}

/** The reference of the object's managing controller; the API server allows at most one. */
export function controllerOf(object: Dependent): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether this very owner (by UID, not by name: names are used again) is the object's managing controller. */
export function isControlledBy(object: Dependent, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Whether this very owner (by UID) is among the object's owners, as controller or not. */
export function isOwnedBy(object: Dependent, owner: KubernetesObject): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false;
}
