import {
  controllerOf,
  keyOf,
  type KubernetesObject,
  type ObjectKey,
  type OwnerReference,
} from '@holdfast/core';
import { wake, type Wake } from './wake.ts';
import type { Watched } from './watched.ts';

/** The side of a watched kind that its owners, or its children, need. */
export type Kept<T extends KubernetesObject> = Pick<
  Watched<T>,
  'resource' | 'store' | 'addHandler' | 'projection'
>;

/**
 * Wakes the owner of a child that comes, changes or goes: what its controller reference names, in whatever version of the group. A child that is given
 * to another owner, or let go, wakes both.
 *
 * A child of an owner that has the name, but not the UID, was another's: it wakes nobody until it is gone, and does not stand in the way any more.
 *
 * @param children kept with their `metadata.ownerReferences`.
 * @throws Error when they are kept without: such a child would never wake anybody.
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

/** Tried on an object that has one. */
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
  /** The owner of that name is the one that is meant. */
  readonly isItself: boolean;
}

/** Whether the reference is to an object of this kind, in whatever version of the group. */
export function isOf(
  { group, kind }: { readonly group: string; readonly kind: string },
  reference: OwnerReference,
): boolean {
  const { apiVersion } = reference;
  return reference.kind === kind && apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)) === group;
}
