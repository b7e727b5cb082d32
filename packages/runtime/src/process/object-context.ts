import {
  guardedPatch,
  objectKey,
  setCondition,
  statusPatch,
  type ApiResource,
  type Condition,
  type ConditionState,
  type JsonPatch,
  type KubernetesObject,
  type ObjectKey,
  type WithStatus,
} from '@holdfast/core';
import type { Logger } from 'pino';
import { find } from '../client/find.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import type { WritingClient } from '../client/verbs.ts';
import { nameReconcile } from '../controller/reconcile-id.ts';
import type { ReconcileResult } from '../controller/reconcile-result.ts';
import type { EventRecorder, EventText } from '../events/event-recorder.ts';
import type { ApplyChild, ChildConfiguration } from './apply-child.ts';
import { writtenOrEnd } from './early-end.ts';
import type { Kept } from './owns.ts';

/**
 * What a reconcile of one object has in hand. Its functions are closures and may be taken out one by one. Each of those that write resolves when it is
 * written; where that is not to be, since the object is gone or has changed, it throws {@link EarlyEnd}, and the object is looked at again.
 */
export interface ObjectContext<T extends KubernetesObject> {
  readonly key: ObjectKey;
  /** As the cache had it when the reconcile began. */
  readonly object: T;
  /** For requests of one's own: aborted when the reconcile takes too long, or the lease is lost. */
  readonly signal: AbortSignal;
  /** The app's, with the controller, the key and the id of this reconcile in each line. The loop's lines about a failure have the same id. */
  readonly log: Logger;
  /** The object as the API server has it now, whole; undefined when it is gone, or is another one of that name. */
  live(): Promise<T | undefined>;
  /**
   * Server-side apply of a child: it is made, gets these fields, and loses those that were applied before and are not any more. The owner is its controller, so that it
   * goes with it; the field manager is the name of the app. Nothing is sent where the cache shows that nobody has changed it since the last time.
   *
   * Of a child that is the owner's, fields are taken from whoever else has written them. An object of that name that is not is left alone, whatever the
   * cache has: what is sent is guarded by the version of the child, or by there being none.
   *
   * @param children the child's kind, which is best among what the controller `owns`.
   * @returns the child, as the API server answers or as it is in the cache.
   * @throws Error when an object of that name is there already, and for a namespace that the owner is not in; EarlyEnd while a child of a former owner has still to go.
   */
  apply<Child extends KubernetesObject>(
    children: Kept<Child>,
    configuration: ChildConfiguration<Child>,
  ): Promise<Child>;
  /**
   * As `apply`, of a child that is there and nothing else: for a cleanup, which would otherwise make what it is to take back, or fail for what was never made.
   *
   * @returns undefined when the object has no child of that name.
   */
  change<Child extends KubernetesObject>(
    children: Kept<Child>,
    configuration: ChildConfiguration<Child>,
  ): Promise<Child | undefined>;
  /**
   * Sets these fields of the status and leaves the others, if they are not as stated already: see `statusPatch`. It is refused when the specification
   * has changed since it was read. The cache must keep these fields whole.
   *
   * @param conditions that are stated: see `setCondition`. They are of the object's generation (`observedGeneration`) unless they say otherwise; other conditions stay.
   */
  status(fields: StatusFields<T>, conditions?: readonly ConditionState[]): Promise<void>;
  /**
   * Patches the object, by its UID.
   *
   * @param operations that test themselves what they replace: see `guardedPatch`.
   * @returns the object as the patch left it.
   */
  patch(operations: JsonPatch): Promise<T>;
  /**
   * Deletes an object, this one or another, in the very state in which it was read. What depends on it goes after it. One that is gone already is no reason to end early.
   *
   * @returns done, for a reconcile that ends with it.
   */
  remove<Other extends KubernetesObject>(
    kind: Pick<Kept<Other>, 'resource'>,
    object: Other,
  ): Promise<ReconcileResult>;
  /** Records an Event about the object: see {@link EventRecorder.record}. */
  event(text: EventText): void;
}

/** Fields of the status, but for the conditions, which have rules of their own; one that is undefined is taken away. */
export type StatusFields<T> = 'status' extends keyof T
  ? {
      readonly [Field in Exclude<keyof NonNullable<T['status']>, 'conditions'>]?:
        NonNullable<T['status']>[Field] | undefined;
    }
  : never;

/** What the contexts of a controller have in common. */
export interface ContextParts<T extends KubernetesObject> {
  readonly controller: string;
  readonly resource: ApiResource<T>;
  readonly client: WritingClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly now: () => Date;
  readonly applyChild: ApplyChild<T>;
}

/** The context of one reconcile. */
export function createObjectContext<T extends KubernetesObject>(
  { controller, resource, client, logger, events, now, applyChild }: ContextParts<T>,
  object: T,
  signal: AbortSignal,
): ObjectContext<T> {
  const key = objectKey(object);
  const { uid, generation } = object.metadata;
  /** With what was written of it since. */
  let latest = object;

  const live = async (): Promise<T | undefined> => {
    const found = await find(client, resource, object.metadata, { signal });
    return found?.metadata.uid === uid ? found : undefined;
  };

  const send = async (patch: JsonPatch, subresource?: string): Promise<T> => {
    const options = subresource === undefined ? { signal } : { signal, subresource };
    const written = await guardedWrite(() => client.patch(resource, object.metadata, patch, options));
    if (written.kind === 'gone' && subresource !== undefined && (await live()) !== undefined) {
      const { kind, version, plural, group } = resource;
      throw new Error(
        `${kind} "${key}" is there, and has no ${subresource} at the API server: version ${version} of ${plural}.${group} does not serve it; apply the definition that has subresources.${subresource}`,
      );
    }
    latest = writtenOrEnd(written);
    return latest;
  };

  return {
    key,
    object,
    signal,
    log: logger.child({ controller, key, reconcileID: nameReconcile(signal) }),
    live,
    apply: (children, configuration) => applyChild.apply(object, children, configuration, signal),
    change: (children, configuration) => applyChild.change(object, children, configuration, signal),
    status: async (fields, states = []) => {
      const current: WithConditions = latest;
      const stated = states.reduce<readonly Condition[] | undefined>(
        (conditions, state) => setCondition(conditions, { observedGeneration: generation, ...state }, now()),
        current.status?.conditions,
      );
      const patch = statusPatch(current, states.length === 0 ? fields : { ...fields, conditions: stated });
      if (patch !== undefined) {
        await send(patch, 'status');
      }
    },
    patch: (operations) => send(guardedPatch(object, operations)),
    remove: async (kind, { metadata }) => {
      const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
      const how = { preconditions, propagationPolicy: 'Background', signal } as const;
      const removed = await guardedWrite(() => client.delete(kind.resource, metadata, how));
      // What is gone is as it was to be, and no event might wake the object for it.
      if (removed.kind !== 'gone') {
        writtenOrEnd(removed);
      }
      return { kind: 'done' };
    },
    event: (text) => events.record(resource, object, text),
  };
}

interface WithConditions extends WithStatus {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
