import {
  finalizerStep,
  hasFinalizer,
  isTerminating,
  objectKey,
  removeFinalizerPatch,
  type KubernetesObject,
} from '@holdfast/core';
import { WriteUndone } from '../client/guarded-write.ts';
import type { Controller } from '../controller/controller.ts';
import { namespaceOf } from '../controller/namespace-of.ts';
import { seenOnlyLiveDelay, type ReconcileResult } from '../controller/reconcile-result.ts';
import type { AppControllerOptions } from './app.ts';
import { createApplyChild } from './apply-child.ts';
import { EarlyEnd } from './early-end.ts';
import { checkFollowsAll } from './follows-all.ts';
import { createObjectContext, type ObjectContext } from './object-context.ts';
import { checkKeepsMetadata } from './kept-metadata.ts';
import { owns, type Kept } from './owns.ts';
import type { ProgramApp } from './run-app.ts';
import { wake, type Wake } from './wake.ts';
import type { Watched } from './watched.ts';

/** The part of an app that object controllers need. */
export type ObjectApp = Pick<ProgramApp, 'name' | 'client' | 'logger' | 'events' | 'now' | 'controller'>;

/** A finalizer, and the cleanup that it stands for. */
export interface Finalizer<T extends KubernetesObject> {
  /** `example.com/site` */
  readonly name: string;
  /**
   * Takes back what is not deleted by itself, for an object that is terminating or no longer concerns the controller.
   * It is called until everything is gone, and also if nothing was made yet.
   *
   * @returns whether everything is gone, as observed rather than as requested. If false, it is called again
   *   when the object is woken, and after five seconds.
   */
  cleanup(context: ObjectContext<T>): Promise<boolean>;
}

/** The kind of an object controller, what wakes its objects, and what it does with them. */
export interface ObjectControllerOptions<T extends KubernetesObject> extends Pick<
  AppControllerOptions,
  'name' | 'concurrency' | 'groupOf' | 'timeout' | 'around'
> {
  /**
   * The kind, as `watch` returns it: each object that appears or changes is reconciled. Its projection, if
   * any, must keep `deletionTimestamp`, `finalizers` and `generation` of the metadata, and whole the status
   * fields that are set, since a dropped field looks absent.
   *
   * With a finalizer it must be followed without a label selector, and without a field selector for fields that change:
   * an object that stops matching leaves the cache, and would keep the finalizer for ever. See `concerns`.
   */
  readonly for: Kept<T> & Pick<Watched<T>, 'selectors'>;
  /**
   * Returns whether the controller is for this object, such as by its labels. One that it is no longer for is cleaned
   * up and loses the finalizer, as if it were being deleted. It must be pure. Default: it is for all objects.
   */
  readonly concerns?: (object: T) => boolean;
  /** The kinds of its children: a change of a child wakes its owner, see {@link owns}. Default: none. */
  readonly owns?: readonly Kept<KubernetesObject>[];
  /** What else wakes its objects. Default: nothing. */
  readonly wakes?: readonly Wake[];
  /**
   * Added to each object before its first reconcile. Default: none, and a terminating object is left alone.
   */
  readonly finalizer?: Finalizer<T>;
  /**
   * Brings about what the object asks for, from what is known now; it must be correct however often it is
   * called. It is not called for an object that is terminating, that the controller is not for, or that does not have
   * the finalizer yet.
   *
   * @returns undefined if there is nothing more to do until the object is woken.
   */
  readonly reconcile: (context: ObjectContext<T>) => Promise<ReconcileResult | undefined>;
}

/**
 * Creates a controller for the objects of one kind. It is `app.controller` with a reconcile that receives the
 * object and functions for what is usually done with it.
 *
 *     const sites = app.watch(siteResource);
 *     const maps = app.watch(configMaps);
 *     objectController(app, {
 *       for: sites,
 *       owns: [maps],
 *       reconcile: async ({ object, apply, status }) => {
 *         await apply(maps, { metadata: { name: object.metadata.name }, data: { 'index.html': object.spec.content } });
 *         await status({ published: true });
 *       },
 *     });
 *
 * Keys of one namespace occupy at most half of the workers while others wait, unless `groupOf` says
 * otherwise.
 *
 * @throws Error for a kind that is kept without the fields that show whether an object is terminating, what
 *   holds it, and whether it has changed; with a finalizer, also for one that is followed by a selector.
 */
export function objectController<T extends KubernetesObject>(
  app: ObjectApp,
  {
    for: objects,
    concerns = () => true,
    owns: children = [],
    wakes = [],
    finalizer,
    reconcile,
    ...options
  }: ObjectControllerOptions<T>,
): Controller {
  checkKeepsMetadata(objects);
  if (finalizer !== undefined) {
    checkFollowsAll(objects, finalizer.name);
  }
  const { client, logger, events, now } = app;
  const { resource, store, projection } = objects;
  const parts = {
    ...{ client, resource, projection, logger, events, now },
    controller: options.name ?? app.name,
    applyChild: createApplyChild({ client, resource, fieldManager: app.name }),
  };

  const step = async (context: ObjectContext<T>): Promise<ReconcileResult> => {
    const { object } = context;
    const isOurs = concerns(object);
    const stepOf = (cleanedUp: boolean): Step => {
      if (finalizer === undefined) {
        return { kind: isTerminating(object) || !isOurs ? 'none' : 'apply' };
      }
      return isOurs || isTerminating(object)
        ? finalizerStep(object, finalizer.name, { cleanedUp })
        : letGoStep(object, finalizer.name, { cleanedUp });
    };
    let next = stepOf(false);
    if (next.kind === 'cleanup') {
      next = stepOf(isOver(finalizer?.name ?? '', await finalizer?.cleanup(context)));
    }
    switch (next.kind) {
      case 'apply':
        return (await reconcile(context)) ?? done;
      case 'cleanup':
        return { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'add':
      case 'remove': {
        const adds = next.kind === 'add';
        const patched = await context.patch(next.patch);
        if (finalizer !== undefined && hasFinalizer(patched, finalizer.name) !== adds) {
          throw new WriteUndone();
        }
        context.log.info({ finalizer: finalizer?.name }, adds ? 'Finalizer added' : 'Finalizer removed');
        return done;
      }
      case 'none':
        return done;
    }
  };

  return app.controller({
    ...(resource.namespaced ? { groupOf: namespaceOf } : {}),
    ...options,
    wakes: [wake(objects, { present: objectKey }), ...children.map((kind) => owns(objects, kind)), ...wakes],
    reconcile: async (key, _batch, signal) => {
      const object = store.get(key);
      if (object === undefined) {
        return done;
      }
      try {
        return await step(createObjectContext(parts, object, signal));
      } catch (error) {
        if (error instanceof EarlyEnd) {
          return error.result;
        }
        throw error;
      }
    },
  });
}

type Step = ReturnType<typeof finalizerStep>;

/** What comes next for an object that the controller is no longer for, and that is not being deleted. */
function letGoStep(
  object: KubernetesObject,
  finalizer: string,
  { cleanedUp }: { readonly cleanedUp: boolean },
): Step {
  if (!hasFinalizer(object, finalizer)) {
    return { kind: 'none' };
  }
  return cleanedUp ? { kind: 'remove', patch: removeFinalizerPatch(object, finalizer) } : { kind: 'cleanup' };
}

/** Plain JavaScript might forget to return what a cleanup found, and the object would be terminating for ever. */
function isOver(finalizer: string, returned: unknown): boolean {
  if (typeof returned !== 'boolean') {
    throw new Error(
      `the cleanup of finalizer ${finalizer} returned ${String(returned)}; give true once everything is gone, and false until then`,
    );
  }
  return returned;
}

const done: ReconcileResult = { kind: 'done' };
