import {
  type ApiResource,
  type KubernetesObject,
  type OwnerReference,
  apiVersionOf,
  hasFinalizer,
  isTerminating,
} from '@holdfast/core';

/** An object and the resource that serves it. */
export interface Node {
  readonly resource: ApiResource<KubernetesObject>;
  readonly object: KubernetesObject;
}

/** The objects with their owners and dependents, by UID. */
export interface Graph {
  get(uid: string): Node | undefined;
  put(node: Node): void;
  remove(uid: string): void;
  /** Returns the objects that refer to this UID, in any namespace. */
  dependentsOf(uid: string): readonly Node[];
}

export function createGraph(): Graph {
  const nodes = new Map<string, Node>();
  const dependents = new Map<string, Set<string>>();

  function remove(uid: string): void {
    for (const owner of ownersOf(nodes.get(uid)?.object)) {
      const siblings = dependents.get(owner.uid);
      siblings?.delete(uid);
      if (siblings?.size === 0) {
        dependents.delete(owner.uid);
      }
    }
    nodes.delete(uid);
  }

  return {
    get: (uid) => nodes.get(uid),
    put(node) {
      const { uid } = node.object.metadata;
      remove(uid);
      nodes.set(uid, node);
      for (const owner of ownersOf(node.object)) {
        const siblings = dependents.get(owner.uid) ?? new Set();
        dependents.set(owner.uid, siblings.add(uid));
      }
    },
    remove,
    dependentsOf: (uid) =>
      [...(dependents.get(uid) ?? [])]
        .map((dependent) => nodes.get(dependent))
        .filter((node) => node !== undefined),
  };
}

export function ownersOf(object: KubernetesObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

/** Whether the object is being deleted in the foreground, so that it waits for its dependents. */
export function isDeletingDependents(object: KubernetesObject): boolean {
  return isTerminating(object) && hasFinalizer(object, foregroundFinalizer);
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** Whether a dependent's reference means this owner. A namespaced owner counts in its own namespace only. */
export function refersTo(reference: OwnerReference, dependent: Node, owner: Node): boolean {
  return (
    reference.uid === owner.object.metadata.uid &&
    reference.name === owner.object.metadata.name &&
    reference.kind === owner.resource.kind &&
    groupOf(reference.apiVersion) === groupOf(apiVersionOf(owner.resource)) &&
    (!owner.resource.namespaced || owner.object.metadata.namespace === dependent.object.metadata.namespace)
  );
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
