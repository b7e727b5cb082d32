import { finalizerStep, isTerminating, objectKey, type KubernetesObject } from '@holdfast/core';
import type { Controller } from '../controller/controller.ts';
import { namespaceOf } from '../controller/namespace-of.ts';
import { seenOnlyLiveDelay, type ReconcileResult } from '../controller/reconcile-result.ts';
import type { AppControllerOptions } from './app.ts';
import { createApplyChild } from './apply-child.ts';
import { EarlyEnd } from './early-end.ts';
import { createObjectContext, type ObjectContext } from './object-context.ts';
import { checkKeepsMetadata } from './kept-metadata.ts';
import { owns, type Kept } from './owns.ts';
import type { ProgramApp } from './run-app.ts';
import { wake, type Wake } from './wake.ts';

/** The side of an app that object controllers need. */
export type ObjectApp = Pick<ProgramApp, 'name' | 'client' | 'logger' | 'events' | 'now' | 'controller'>;

/** A finalizer, and what it stands for. */
export interface Finalizer<T extends KubernetesObject> {
  /** `example.com/site` */
  readonly name: string;
  /**
   * Takes back what does not go by itself, of an object that is terminating; called until all of it is gone, and also where nothing was made yet.
   *
   * @returns whether it is gone, as it was seen and not as it was asked for. False: called again when something wakes the object, and after five
   *   seconds.
   */
  cleanup(context: ObjectContext<T>): Promise<boolean>;
}

/** The kind of an object controller, what wakes its objects, and what is done about them. */
export interface ObjectControllerOptions<T extends KubernetesObject> extends Pick<
  AppControllerOptions,
  'name' | 'concurrency' | 'groupOf' | 'timeout' | 'around'
> {
  /**
   * The kind, as `watch` returns it: each object that comes or changes is reconciled. A projection that is named for it keeps `deletionTimestamp`, `finalizers` and
   * `generation` of the metadata, and whole the fields of the status that are set: what it leaves out is taken for absent.
   */
  readonly for: Kept<T>;
  /** Kinds of its children: what happens to one wakes its owner, see {@link owns}. Default none. */
  readonly owns?: readonly Kept<KubernetesObject>[];
  /** What wakes its objects besides. Default nothing. */
  readonly wakes?: readonly Wake[];
  /** Put on each object before its first reconcile. Default: none, and an object that is terminating is left to itself. */
  readonly finalizer?: Finalizer<T>;
  /**
   * Brings about what the object asks for, from what is known now; it must be right however often it is called. It is not called for an object that is terminating, or has
   * not got the finalizer yet.
   *
   * @returns undefined: nothing more to do until something wakes the object. A delay that is no number is an error: a time that could not be read makes one.
   */
  readonly reconcile: (context: ObjectContext<T>) => Promise<ReconcileResult | undefined>;
}

/**
 * A controller of an app that works on the objects of one kind: `app.controller`, whose reconcile gets an object with all that is usually done about it.
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
 * Keys of a namespace have no more than half of the workers while others wait, unless `groupOf` says otherwise.
 *
 * @throws Error for a kind that is kept without what says whether an object is terminating, who holds it, and whether it has changed.
 */
export function objectController<T extends KubernetesObject>(
  app: ObjectApp,
  {
    for: objects,
    owns: children = [],
    wakes = [],
    finalizer,
    reconcile,
    ...options
  }: ObjectControllerOptions<T>,
): Controller {
  checkKeepsMetadata(objects);
  const { client, logger, events, now } = app;
  const { resource, store } = objects;
  const parts = {
    ...{ client, resource, logger, events, now },
    controller: options.name ?? app.name,
    applyChild: createApplyChild({ client, resource, fieldManager: app.name }),
  };

  const checked = ({ key }: ObjectContext<T>, result: ReconcileResult): ReconcileResult => {
    if ((result.kind === 'requeueAfter' || result.kind === 'failed') && Number.isNaN(result.delay)) {
      throw new Error(
        `the reconcile of ${resource.kind} "${key}" asks for a delay of NaN; give milliseconds`,
      );
    }
    return result;
  };

  const step = async (context: ObjectContext<T>): Promise<ReconcileResult> => {
    const { object } = context;
    const stepOf = (cleanedUp: boolean): Step =>
      finalizer === undefined
        ? { kind: isTerminating(object) ? 'none' : 'apply' }
        : finalizerStep(object, finalizer.name, { cleanedUp });
    let next = stepOf(false);
    if (next.kind === 'cleanup') {
      next = stepOf((await finalizer?.cleanup(context)) === true);
    }
    switch (next.kind) {
      case 'apply':
        return checked(context, (await reconcile(context)) ?? done);
      case 'cleanup':
        return { kind: 'requeueAfter', delay: seenOnlyLiveDelay };
      case 'add':
        await context.patch(next.patch);
        context.log.info({ finalizer: finalizer?.name }, 'Finalizer added');
        return done;
      case 'remove':
        await context.patch(next.patch);
        context.log.info({ finalizer: finalizer?.name }, 'Finalizer removed');
        return done;
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

const done: ReconcileResult = { kind: 'done' };
