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
import { isNamespaceTerminating } from '../client/api-error.ts';
import { find } from '../client/find.ts';
import type { Applied, WritingClient } from '../client/verbs.ts';
import { lookAgain, writtenOrEnd } from './early-end.ts';
import { isOf, type Kept } from './owns.ts';

/** The fields of a child that its owner wants to own, and the child's name. */
export type ChildConfiguration<T extends KubernetesObject> = ApplyConfiguration<T> & {
  readonly metadata: {
    readonly name: string;
    /** Default: the owner's. */
    readonly namespace?: string;
  };
};

interface AskedMeta {
  readonly name: string;
  readonly resourceVersion?: string | undefined;
  readonly ownerReferences?: readonly { readonly uid?: string | undefined }[] | undefined;
}

/** Brings a child to the state that its owner wants. */
type Send<Owner extends KubernetesObject, Missing> = <Child extends KubernetesObject>(
  owner: Owner,
  children: Kept<Child>,
  configuration: ChildConfiguration<Child>,
  signal: AbortSignal,
) => Promise<Child | Missing>;

export interface ApplyChild<Owner extends KubernetesObject> {
  /** See {@link ObjectContext.apply}. */
  readonly apply: Send<Owner, never>;
  /** See {@link ObjectContext.change}. */
  readonly change: Send<Owner, undefined>;
}

export interface ApplyChildOptions<Owner extends KubernetesObject> {
  readonly client: Pick<WritingClient, 'apply' | 'get'>;
  /** The resource of the owner. */
  readonly resource: ApiResource<Owner>;
  readonly fieldManager: string;
}

/**
 * Creates the functions that apply children of one kind of owner.
 *
 * They take fields from others by force, but only if the child is known to belong to the owner, and is still
 * in the version in which it did. An object that somebody else made, or a child that was released, is never
 * taken over, since it would be deleted with the owner. If the cache is behind, the child is read from the
 * API server, once.
 *
 * They remember what was applied for each object in the cache, by its identity. While that object stays in
 * the cache, nobody has written the child since, so the remembered configuration is still in place. So the
 * first apply after each change is sent, and repetitions are not. Nothing else is assumed: whole
 * configurations are compared, and a process that has just started applies everything once.
 */
export function createApplyChild<Owner extends KubernetesObject>({
  client,
  resource,
  fieldManager,
}: ApplyChildOptions<Owner>): ApplyChild<Owner> {
  /** What was applied to an object of the cache and left it unchanged. */
  const applied = new WeakMap<object, string>();

  function send<Child extends KubernetesObject>(
    owner: Owner,
    children: Kept<Child>,
    given: ChildConfiguration<Child>,
    signal: AbortSignal,
    mayMake: true,
  ): Promise<Child>;
  function send<Child extends KubernetesObject>(
    owner: Owner,
    children: Kept<Child>,
    given: ChildConfiguration<Child>,
    signal: AbortSignal,
    mayMake: boolean,
  ): Promise<Child | undefined>;
  async function send<Child extends KubernetesObject>(
    owner: Owner,
    children: Kept<Child>,
    given: ChildConfiguration<Child>,
    signal: AbortSignal,
    mayMake: boolean,
  ): Promise<Child | undefined> {
    const ref = refOf(owner, resource, children.resource, given.metadata);
    const reference = ownerReference(resource, owner, { metadata: ref }, { controller: true });
    /** Undefined if the owner is cluster-scoped. */
    const { namespace } = owner.metadata;
    const { ownerReferences = [], resourceVersion: asked }: AskedMeta = given.metadata;
    const configurationOf = (guard: Guard): ChildConfiguration<Child> =>
      Object.assign({}, given, {
        metadata: {
          ...given.metadata,
          ...guard,
          ...(asked === undefined ? {} : { resourceVersion: asked }),
          // A configuration made from the child's own references contains this one, and the API server
          // accepts none twice.
          ownerReferences: [...ownerReferences.filter((other) => other.uid !== reference.uid), reference],
        },
      });
    const applyTo = async (child: Child | undefined): Promise<Applied<Child>> => {
      const how = { fieldManager, force: child !== undefined, signal };
      try {
        return await client.apply<Child>(children.resource, ref, configurationOf(guardOf(child)), how);
      } catch (error) {
        if (namespace === undefined || !isNamespaceTerminating(error)) {
          throw error;
        }
        // The owner is deleted along with the namespace, so nothing is wrong.
        return lookAgain(`namespace "${namespace}" is terminating`);
      }
    };
    const digest = hash('sha256', JSON.stringify(configurationOf({})), 'base64');
    const key = keyOf(ref);

    const cached = children.store.get(key);
    if (cached !== undefined && applied.get(cached) === digest) {
      return cached;
    }
    let answer: Applied<Child> | undefined;
    if (cached !== undefined && isControlledBy(cached, owner)) {
      answer = await applyTo(cached);
    }
    if (answer === undefined || answer.kind === 'outdated') {
      // The cache has no such child, but it might be behind, or not follow the child; so this proves nothing.
      const found = await find<Child>(client, children.resource, ref, { signal });
      const child = found !== undefined && isControlledBy(found, owner) ? found : undefined;
      if (child === undefined) {
        if (!mayMake) {
          return undefined;
        }
        checkNotAnothers(`${children.resource.kind} "${key}"`, found, resource, owner);
      }
      answer = await applyTo(child);
    }
    if (answer.kind === 'conflict') {
      // Without force there is a conflict if somebody has created it since it was looked for.
      return lookAgain(`${children.resource.kind} "${key}" was made by somebody else just now`);
    }
    if (answer.kind === 'gone' && namespace === undefined && ref.namespace !== undefined) {
      // If the owner is in that namespace, the owner is gone too.
      throw new Error(
        `${children.resource.kind} "${key}" can't be made: there is no namespace "${ref.namespace}"; create it, or choose another one`,
      );
    }
    const after = writtenOrEnd(answer);
    const { uid, resourceVersion } = after.metadata;
    const now = children.store.get(key);
    if (now?.metadata.uid === uid && now.metadata.resourceVersion === resourceVersion) {
      applied.set(now, digest);
    }
    return after;
  }

  return {
    apply: (owner, children, configuration, signal) => send(owner, children, configuration, signal, true),
    change: (owner, children, configuration, signal) => send(owner, children, configuration, signal, false),
  };
}

/** The API server refuses an apply with 409 if the object does not match these fields. */
interface Guard {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * No object ever has this version, yet a missing object is created whatever version is given. So with it an
 * apply can only create.
 */
const isNotThere: Guard = { resourceVersion: '1' };

function guardOf(child: KubernetesObject | undefined): Guard {
  return child === undefined
    ? isNotThere
    : { uid: child.metadata.uid, resourceVersion: child.metadata.resourceVersion };
}

function refOf(
  owner: KubernetesObject,
  resource: ApiResource<KubernetesObject>,
  children: ApiResource<KubernetesObject>,
  { name, namespace = owner.metadata.namespace }: { readonly name: string; readonly namespace?: string },
): ObjectRef {
  if (!children.namespaced) {
    return { name };
  }
  if (namespace === undefined) {
    throw new Error(
      `${children.kind} "${name}" has no namespace, nor has its owner, ${resource.kind} "${keyOf(owner.metadata)}"; give metadata.namespace`,
    );
  }
  return { namespace, name };
}

/**
 * @throws Error if another owner has an object of that name; EarlyEnd if that object will be deleted anyway.
 */
function checkNotAnothers(
  child: string,
  found: KubernetesObject | undefined,
  resource: ApiResource<KubernetesObject>,
  owner: KubernetesObject,
): void {
  if (found === undefined) {
    return;
  }
  const controller = controllerOf(found);
  const isFormers =
    controller !== undefined && isOf(resource, controller) && controller.name === owner.metadata.name;
  if (isTerminating(found) || isFormers) {
    return lookAgain(`${child} of before has still to go`);
  }
  throw new Error(
    `${child} is there already, and ${controller === undefined ? 'nobody' : `${controller.kind} "${controller.name}"`} is its controller: ` +
      `it would go with ${resource.kind} "${keyOf(owner.metadata)}"; delete it, or choose another name`,
  );
}
