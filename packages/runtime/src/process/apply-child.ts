import { hash } from 'node:crypto';
import {
  controllerOf,
  isControlledBy,
  isTerminating,
  keyOf,
  ownerReference,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
} from '@holdfast/core';
import type { ApplyConfiguration } from '../client/draft.ts';
import { find } from '../client/find.ts';
import type { WritingClient } from '../client/verbs.ts';
import { lookAgain, writtenOrEnd } from './early-end.ts';
import type { Kept } from './owns.ts';

/** What an owner wants its child to be: the fields on which it has an opinion, and a name. */
export type ChildConfiguration<T extends KubernetesObject> = ApplyConfiguration<T> & {
  readonly metadata: {
    readonly name: string;
    /** Default: the owner's. */
    readonly namespace?: string;
  };
};

interface AskedMeta {
  readonly name: string;
  readonly ownerReferences?: readonly object[] | undefined;
}

/** Brings a child to what its owner wants; see {@link ObjectContext.apply}. */
export type ApplyChild<Owner extends KubernetesObject> = <Child extends KubernetesObject>(
  owner: Owner,
  children: Kept<Child>,
  configuration: ChildConfiguration<Child>,
  signal: AbortSignal,
) => Promise<Child>;

export interface ApplyChildOptions<Owner extends KubernetesObject> {
  readonly client: Pick<WritingClient, 'apply' | 'get'>;
  /** Of the owner. */
  readonly resource: ApiResource<Owner>;
  readonly fieldManager: string;
}

/**
 * Applies children of one kind of owner.
 *
 * Fields are taken from others by force, but only of a child that is known to be the owner's, and by its UID: an object that somebody else has made is
 * never taken over, since it would be deleted with the owner.
 *
 * What the API server has answered is kept by the very object in the cache: while that stays, nobody has written the child since, and what would be
 * applied is there. So the first apply after each change is sent, and those after it are not. Nothing else is relied on: what was applied is
 * compared whole, and a process that has just started applies everything once.
 */
export function createApplyChild<Owner extends KubernetesObject>({
  client,
  resource,
  fieldManager,
}: ApplyChildOptions<Owner>): ApplyChild<Owner> {
  /** What was applied to an object of the cache and left it as it is. */
  const applied = new WeakMap<object, string>();

  return async <Child extends KubernetesObject>(
    owner: Owner,
    children: Kept<Child>,
    given: ChildConfiguration<Child>,
    signal: AbortSignal,
  ): Promise<Child> => {
    const { name, namespace = owner.metadata.namespace } = given.metadata;
    if (children.resource.namespaced && namespace === undefined) {
      throw new Error(
        `${children.resource.kind} "${name}" has no namespace, nor has its owner, ${resource.kind} "${keyOf(owner.metadata)}"; give metadata.namespace`,
      );
    }
    const ref = children.resource.namespaced && namespace !== undefined ? { namespace, name } : { name };
    const reference = ownerReference(resource, owner, { metadata: ref }, { controller: true });
    const { ownerReferences = [] }: AskedMeta = given.metadata;
    const configurationOf = (guard: { readonly uid?: string }): ChildConfiguration<Child> =>
      Object.assign({}, given, {
        metadata: { ...given.metadata, ...guard, ownerReferences: [...ownerReferences, reference] },
      });
    const digest = hash('sha256', JSON.stringify(configurationOf({})), 'base64');
    const key = keyOf(ref);

    const cached = children.store.get(key);
    if (cached !== undefined && applied.get(cached) === digest) {
      return cached;
    }
    const isOurs = cached !== undefined && isControlledBy(cached, owner);
    const child = isOurs ? cached : await findOwn(client, children.resource, ref, owner, resource, signal);
    const answer = await client.apply<Child>(
      children.resource,
      ref,
      configurationOf(child === undefined ? {} : { uid: child.metadata.uid }),
      { fieldManager, force: child !== undefined, signal },
    );
    if (answer.kind === 'conflict') {
      // Without force: somebody has made it since it was looked for.
      return lookAgain(`${children.resource.kind} "${key}" was made by somebody else just now`);
    }
    const after = writtenOrEnd(answer);
    const { uid, resourceVersion } = after.metadata;
    const now = children.store.get(key);
    if (now?.metadata.uid === uid && now.metadata.resourceVersion === resourceVersion) {
      applied.set(now, digest);
    }
    return after;
  };
}

/** The child as the API server has it, for want of one in the cache: a cache that is behind, or that does not follow it, says nothing. */
async function findOwn<Child extends KubernetesObject>(
  client: Pick<WritingClient, 'get'>,
  children: ApiResource<Child>,
  ref: ObjectRef,
  owner: KubernetesObject,
  resource: ApiResource<KubernetesObject>,
  signal: AbortSignal,
): Promise<Child | undefined> {
  const found = await find(client, children, ref, { signal });
  if (found === undefined || isControlledBy(found, owner)) {
    return found;
  }
  const child = `${children.kind} "${keyOf(ref)}"`;
  const controller = controllerOf(found);
  if (
    isTerminating(found) ||
    (controller?.kind === resource.kind && controller.name === owner.metadata.name)
  ) {
    return lookAgain(`${child} of before has still to go`);
  }
  throw new Error(
    `${child} is there already, and ${controller === undefined ? 'nobody' : `${controller.kind} "${controller.name}"`} is its controller: ` +
      `it would go with ${resource.kind} "${keyOf(owner.metadata)}"; delete it, or choose another name`,
  );
}
