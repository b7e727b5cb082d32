import {
  controllerOf,
  keyOf,
  type KubernetesObject,
  type ObjectKey,
  type OwnerReference,
} from '@holdfast/core';
import { wake, type Wake } from './wake.ts';
import type { Watched } from './watched.ts';

/** The part of a watched kind that its owners, or its children, need. */
export type Kept<T extends KubernetesObject> = Pick<
  Watched<T>,
  'resource' | 'store' | 'addHandler' | 'projection'
>;

/**
 * Wakes the owner of a child that appears, changes or is deleted: the object that its controller reference
 * names, in any version of the group. A child that gets another owner, or is released, wakes both.
 *
 * If an object has the owner's name but not its UID, the child belonged to another object. Such a child wakes
 * nothing until it is gone and no longer in the way.
 *
 * @param children must be kept with their `metadata.ownerReferences`.
 * @throws Error if they are kept without: such a child would never wake anything.
 */
export function owns<Owner extends KubernetesObject, Child extends KubernetesObject>(
  owners: Kept<Owner>,
  children: Kept<Child>,
): Wake {
  if (!keepsController(children)) {
    const { plural, kind } = children.resource;
    throw new Error(
      `the cache of ${plural} does not keep by whom a ${kind} is controlled, so that it could not wake its ${owners.resource.kind}; ` +
        'add metadata: { ownerReferences: [{ apiVersion: true, kind: true, name: true, uid: true, controller: true }] } to its projection',
    );
  }
  const ownerOf = (child: Child): OwnedBy | undefined => {
    const reference = controllerOf(child);
    if (reference === undefined || !isOf(owners.resource, reference)) {
      return undefined;
    }
    const { name } = reference;
    const { namespace } = child.metadata;
    const key = keyOf(owners.resource.namespaced ? { namespace, name } : { name });
    const owner = owners.store.get(key);
    return owner === undefined ? undefined : { key, isItself: owner.metadata.uid === reference.uid };
  };
  const present = (child: Child): ObjectKey | undefined => {
    const owned = ownerOf(child);
    return owned?.isItself === true ? owned.key : undefined;
  };
  return wake(children, {
    added: present,
    updated: (before, after) => [before, after].flatMap((child) => present(child) ?? []),
    deleted: (last) => ownerOf(last)?.key,
  });
}

/** Tries the projection on an object that has a controller. */
function keepsController<T extends KubernetesObject>({ projection, resource }: Kept<T>): boolean {
  if (projection === undefined) {
    return true;
  }
  const reference = { apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: '1', controller: true };
  const metadata = { name: 'child', uid: '2', resourceVersion: '1', ownerReferences: [reference] };
  const { kind } = resource;
  const kept = controllerOf(projection.fromJson({ kind, metadata } as KubernetesObject as T));
  return (['apiVersion', 'kind', 'name', 'uid'] as const).every(
    (field) => kept?.[field] === reference[field],
  );
}

interface OwnedBy {
  readonly key: ObjectKey;
  /** Whether the object of that name has the UID of the reference. */
  readonly isItself: boolean;
}

/** Returns whether the reference is to an object of this kind, in any version of the group. */
export function isOf(
  { group, kind }: { readonly group: string; readonly kind: string },
  reference: OwnerReference,
): boolean {
  const { apiVersion } = reference;
  return reference.kind === kind && apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)) === group;
}
