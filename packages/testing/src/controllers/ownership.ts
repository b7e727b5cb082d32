import {
  addFinalizerPatch,
  controllerOf,
  hasFinalizer,
  isTerminating,
  keyOf,
  objectKey,
  ownerReference,
  ownerReferencesPatch,
  setOwnerReference,
  type ApiResource,
  type KubernetesObject,
  type LabelMatcher,
  type ObjectRef,
} from '@holdfast/core';
import { ApiError, type ApiClient } from './api-client.ts';
import type { Cache, Change } from './cache.ts';
import type { Key } from './controller.ts';

/** The relation between an owner, such as a ReplicaSet, and an object that it might manage, such as a pod. */
export type Standing = 'own' | 'adopt' | 'release' | 'foreign';

/**
 * Decides as pkg/controller/controller_ref_manager.go does, by the first matching line:
 *
 *     the object's controller    selector    owner deleted    object deleted    standing
 *     another                    any         any              any               foreign
 *     this owner, by UID         fits        any              any               own
 *     this owner                 does not    yes              any               foreign
 *     this owner                 does not    no               any               release
 *     none                       fits        no               no                adopt
 *     none                       any         any              any               foreign
 */
export function standingOf(owner: KubernetesObject, object: KubernetesObject, fits: LabelMatcher): Standing {
  const controller = controllerOf(object);
  const isFitting = fits(object.metadata.labels);
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) {
      return 'foreign';
    }
    if (isFitting) {
      return 'own';
    }
    return isTerminating(owner) ? 'foreign' : 'release';
  }
  return isFitting && !isTerminating(owner) && !isTerminating(object) ? 'adopt' : 'foreign';
}

export interface Claim<Owner extends KubernetesObject, T extends KubernetesObject> {
  readonly client: ApiClient;
  readonly owner: Owner;
  readonly ownerResource: ApiResource<Owner>;
  readonly resource: ApiResource<T>;
  /** The objects in question. Objects of other namespaces are left alone. */
  readonly objects: readonly T[];
  readonly fits: LabelMatcher;
  /** A finalizer to put on adopted objects, as Jobs do. Default none. */
  readonly finalizer?: string;
  /** Called with each object that was written. */
  readonly note: (written: T) => void;
}

/**
 * Returns the objects that the owner controls, including orphans that it adopts. It releases objects that its
 * selector no longer matches, and leaves out objects that are gone in the meantime.
 */
export async function claimObjects<Owner extends KubernetesObject, T extends KubernetesObject>(
  claim: Claim<Owner, T>,
): Promise<readonly T[]> {
  const { owner, objects, fits } = claim;
  const own: T[] = [];
  for (const object of objects) {
    if (object.metadata.namespace !== owner.metadata.namespace) {
      continue;
    }
    const standing = standingOf(owner, object, fits);
    if (standing === 'own') {
      own.push(object);
    } else if (standing === 'adopt') {
      own.push(...(await ifThere(adopt(claim, object))));
    } else if (standing === 'release') {
      await ifThere(release(claim, object));
    }
  }
  return own;
}

/**
 * The name of the owner might belong to another object in the meantime: adoption requires a live read that
 * returns this UID.
 */
async function adopt<Owner extends KubernetesObject, T extends KubernetesObject>(
  { client, owner, ownerResource, resource, finalizer, note }: Claim<Owner, T>,
  orphan: T,
): Promise<readonly T[]> {
  const live = await client.get(ownerResource, refOf(owner));
  if (live?.metadata.uid !== owner.metadata.uid || isTerminating(live)) {
    return [];
  }
  const change = setOwnerReference(
    orphan,
    ownerReference(ownerResource, owner, orphan, { controller: true }),
  );
  if (change.kind !== 'set') {
    return [];
  }
  const adopted = await client.patch(resource, refOf(orphan), [
    ...ownerReferencesPatch(orphan, change.ownerReferences),
    ...(finalizer === undefined || hasFinalizer(orphan, finalizer)
      ? []
      : addFinalizerPatch(orphan, finalizer)),
  ]);
  note(adopted);
  return [adopted];
}

async function release<Owner extends KubernetesObject, T extends KubernetesObject>(
  { client, owner, resource, note }: Claim<Owner, T>,
  object: T,
): Promise<readonly T[]> {
  const kept = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  note(await client.patch(resource, refOf(object), ownerReferencesPatch(object, kept)));
  return [];
}

async function ifThere<T>(writing: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await writing;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) {
      return [];
    }
    throw error;
  }
}

/**
 * Returns the owners to look at after a change of an object: its controller, before and after, or, for an
 * orphan, the owners whose selectors match it. If a new owner has taken the name of a deleted one, it is
 * looked at too, and finds nothing to do.
 */
export function ownerKeys<Owner extends KubernetesObject>(
  kind: string,
  owners: Cache<Owner>,
  fits: (owner: Owner) => LabelMatcher,
  { object, previous }: Change<KubernetesObject>,
): readonly Key[] {
  return [object, ...(previous === undefined ? [] : [previous])].flatMap((state) => {
    const { namespace = '', labels } = state.metadata;
    const controller = controllerOf(state);
    if (controller !== undefined) {
      return controller.kind === kind ? [keyOf({ namespace, name: controller.name })] : [];
    }
    return owners
      .list()
      .filter((owner) => owner.metadata.namespace === namespace && fits(owner)(labels))
      .map(objectKey);
  });
}

/** The namespace and name of an object. */
export function refOf({ metadata: { namespace, name } }: KubernetesObject): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}
