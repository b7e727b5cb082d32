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
import type { Projection } from '../wire/projection.ts';
import type { ApplyChild, ChildConfiguration } from './apply-child.ts';
import { writtenOrEnd } from './early-end.ts';
import { checkKeepsStatus } from './kept-status.ts';
import type { Kept } from './owns.ts';

/**
 * What the reconcile of one object works with. Its functions are closures and can be destructured. Those that
 * write resolve after the write. If there is nothing to write to, since the object is gone or has changed,
 * they throw {@link EarlyEnd}, and the object is looked at again.
 */
export interface ObjectContext<T extends KubernetesObject> {
  readonly key: ObjectKey;
  /** The object as the cache had it when the reconcile began. */
  readonly object: T;
  /**
   * For your own requests: aborted if this reconcile takes too long, or the lease is lost meanwhile. It is not aborted
   * any more once the reconcile has ended.
   */
  readonly signal: AbortSignal;
  /**
   * The app's logger, with the controller, the key and the id of this reconcile in each line. The
   * controller's lines about a failed reconcile have the same id.
   */
  readonly log: Logger;
  /**
   * Reads the whole object from the API server; undefined if it is gone or replaced by another one of that
   * name.
   */
  live(): Promise<T | undefined>;
  /**
   * Applies a child (server-side apply): creates it, sets these fields, and removes those that were applied
   * before and no longer are. The object becomes the child's controller, so that the child is deleted with
   * it. The field manager is the name of the app. Nothing is sent if the cache shows that nobody has changed
   * the child since the last apply.
   *
   * If the child belongs to the object, fields are taken from others who have written them. Another object of
   * that name is left alone whatever the cache says: the request requires the known version of the child, or
   * that there is none.
   *
   * @param children the child's kind, which should be among the kinds that the controller `owns`.
   * @returns the child, as the API server returns it or as it is in the cache.
   * @throws Error if another object of that name exists, or the namespace is not the owner's; EarlyEnd while
   *   a child of a former owner is yet to be deleted.
   */
  apply<Child extends KubernetesObject>(
    children: Kept<Child>,
    configuration: ChildConfiguration<Child>,
  ): Promise<Child>;
  /**
   * Like `apply`, but only for a child that exists. Use it in a cleanup: `apply` would create what the
   * cleanup should take back, or fail for what was never created.
   *
   * @returns undefined if the object has no child of that name.
   */
  change<Child extends KubernetesObject>(
    children: Kept<Child>,
    configuration: ChildConfiguration<Child>,
  ): Promise<Child | undefined>;
  /**
   * Sets these fields of the status, unless they have these values already, and leaves all others: see
   * `statusPatch`. The API server refuses it if the spec has changed since it was read. The cache must keep
   * these fields whole.
   *
   * @throws Error for a field that the cache does not keep whole.
   * @param conditions to set: see `setCondition`. By default their `observedGeneration` is the object's
   *   generation. Other conditions stay.
   */
  status(fields: StatusFields<T>, conditions?: readonly ConditionState[]): Promise<void>;
  /**
   * Patches the object, guarded by its UID.
   *
   * @param operations must themselves test what they replace: see `guardedPatch`.
   * @returns the object as the patch left it.
   */
  patch(operations: JsonPatch): Promise<T>;
  /**
   * Deletes this or another object, only in the state in which it was read. Its dependents are deleted after
   * it. It does not throw EarlyEnd if the object is already gone.
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

/**
 * The fields of the status except the conditions, which have rules of their own; an undefined field is
 * removed.
 */
export type StatusFields<T> = 'status' extends keyof T
  ? {
      readonly [Field in Exclude<keyof NonNullable<T['status']>, 'conditions'>]?:
        NonNullable<T['status']>[Field] | undefined;
    }
  : never;

/** What the contexts of a controller share. */
export interface ContextParts<T extends KubernetesObject> {
  readonly controller: string;
  readonly resource: ApiResource<T>;
  /** What the cache keeps of each object. Undefined: all of it. */
  readonly projection: Projection<T> | undefined;
  readonly client: WritingClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly now: () => Date;
  readonly applyChild: ApplyChild<T>;
}

/** Creates the context of one reconcile. */
export function createObjectContext<T extends KubernetesObject>(
  { controller, resource, projection, client, logger, events, now, applyChild }: ContextParts<T>,
  object: T,
  signal: AbortSignal,
): ObjectContext<T> {
  const key = objectKey(object);
  const { uid, generation } = object.metadata;
  /** The object including what this reconcile has written. */
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
      const wanted = states.length === 0 ? fields : { ...fields, conditions: stated };
      const patch = statusPatch(current, wanted);
      // Nothing seems to be left to do where the cache drops a field that is to be removed.
      if (latest === object && (patch !== undefined || Object.values(wanted).includes(undefined))) {
        checkKeepsStatus(resource, projection, wanted);
      }
      if (patch !== undefined) {
        await send(patch, 'status');
      }
    },
    patch: (operations) => send(guardedPatch(object, operations)),
    remove: async (kind, { metadata }) => {
      const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
      const how = { preconditions, propagationPolicy: 'Background', signal } as const;
      const removed = await guardedWrite(() => client.delete(kind.resource, metadata, how));
      // If it is gone, the goal is reached, and no event might ever wake the object for it.
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
