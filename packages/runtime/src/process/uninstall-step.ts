import {
  guardedPatch,
  objectKey,
  type ApiResource,
  type JsonPatch,
  type KubernetesObject,
} from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';
import { ApiError, isForbidden, isNotFound } from '../client/api-error.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import type { Look } from '../client/look.ts';
import { backoffDelay } from '../time/backoff.ts';
import { sleep, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';

/**
 * One kind of thing that an app has put on objects, and how it is taken back.
 *
 *     const finalizer: UninstallStep<PersistentVolumeClaim> = {
 *       what: 'finalizer kubernetes.io/pvc-protection',
 *       resource: persistentVolumeClaims,
 *       projection: slimClaim,
 *       takeBack: (claim) => removeFinalizer(claim, finalizers.pvcProtection),
 *     };
 */
export interface UninstallStep<T extends KubernetesObject> {
  /** For the log: what is taken back. */
  readonly what: string;
  readonly resource: ApiResource<T>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The fields that `takeBack` reads. Default: whole objects. */
  readonly projection?: Projection<T>;
  /** Where the patch is sent, for example `status`. Default: to the object itself. */
  readonly subresource?: string;
  /**
   * What takes ours off the object, or undefined when there is nothing of ours on it. Pure. The operations must `test` what they
   * remove or replace; a test of the UID is added. The object is looked at again after the patch, and then the answer must be undefined.
   *
   * Where that takes a look at more than the object, a promise. What it rejects with is tried again, unless the API server refused
   * for good.
   *
   * @throws MustStay when what is on the object can't be taken back for now. It counts as refused, and holds up no other object.
   */
  takeBack(object: T, options: StepOptions): JsonPatch | undefined | Promise<GroundedPatch | undefined>;
  /**
   * Asked once, before the first look, with the lease held: false when what is on the objects is another's to keep, of which the app logs
   * more. Then the step is over, and nothing was left. Default: true.
   *
   * @throws what the client throws: then nothing is taken back.
   */
  isOurs?(options: StepOptions): Promise<boolean>;
  /**
   * What the administrator is to know of an object from which ours was taken, as it was before: logged with its name. Undefined: nothing.
   * Pure. Default: nothing of any.
   */
  notice?(object: T): string | undefined;
}

/** A patch, and the live look that it rests on: it is not sent when that has grown too old, see {@link Look}. */
export interface GroundedPatch {
  readonly operations: JsonPatch;
  readonly look: Look;
}

/** What the app has put on an object must stay there for now; the message says why, and what to do. */
export class MustStay extends Error {
  override readonly name = 'MustStay';
}

/** What has become of a step so far. */
export interface Tally {
  /** Objects that were read, counted at each look. */
  seen: number;
  /** Objects from which ours was taken. In a dry run: would be. */
  takenBack: number;
  /** Writes that came too late, since the object had changed; it was looked at again. */
  outdated: number;
  /** Objects on which something of ours may be left for good: the patch was refused, or the object could not be read; and lists refused. */
  refused: number;
}

export interface StepOptions {
  readonly client: ApiClient;
  /** None: all. Of kinds without namespaces all objects are looked at. */
  readonly namespaces: readonly string[];
  /** Patches under way at once. */
  readonly concurrency: number;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends it at once; what was taken back stays so. */
  readonly signal: AbortSignal;
}

/** Looks in a row that bring the end no nearer, before a step is given up: some two minutes. */
const fruitlessLooks = 10;
/** Between two looks. */
const pause = { initial: 500, max: 30_000, jitter: 0.5 };
/** Refusals that are logged one by one. */
const loggedRefusals = 20;

/**
 * Takes back what one step names: looks at all objects page by page, patches those that have something of ours, and looks again until
 * there is nothing left.
 *
 * What is outdated, and what failed without being refused, is left to the next look. An object whose patch is refused for good (a
 * policy, validation) is logged, left, and holds up no other. A verb that RBAC denies ends the step.
 *
 * @param tally is kept up to date meanwhile.
 * @returns whether the last look found nothing of ours, refusals aside; in a dry run, which takes one look, whether no patch failed.
 * @throws the signal's reason when aborted; nothing else.
 */
export async function runStep<T extends KubernetesObject>(
  step: UninstallStep<T>,
  options: StepOptions,
  tally: Tally,
): Promise<boolean> {
  const { client, namespaces, concurrency, dryRun, clock, logger, signal } = options;
  const { what, resource, subresource, projection } = step;
  const refused = new Set<string>();
  const scopes: readonly (string | undefined)[] =
    resource.namespaced && namespaces.length > 0 ? namespaces : [undefined];
  let denied = false;

  const refuse = (error: Error, key?: string): void => {
    tally.refused += 1;
    const missing = missingPermission(error);
    denied ||= missing !== undefined;
    if (tally.refused <= loggedRefusals) {
      const fields = { what, ...(key === undefined ? {} : { key }), reason: error.message };
      if (missing === undefined) {
        logger.error(fields, 'Could not be taken back');
      } else {
        logger.error({ ...fields, missing }, 'Permission is missing');
      }
    }
  };

  const refuseOne = (error: Error, { metadata: { uid } }: T, key: string): 'clean' => {
    refused.add(uid);
    refuse(error, key);
    return 'clean';
  };
  const tryAgain = (error: unknown, key: string): 'left' => {
    logger.warn({ what, key, err: error }, 'Taking back failed, will be tried again');
    return 'left';
  };

  const patchFor = async (object: T): Promise<Patch | 'clean' | 'left'> => {
    const key = objectKey(object);
    let answer: ReturnType<typeof step.takeBack>;
    try {
      answer = step.takeBack(object, options);
    } catch (error) {
      return refuseOne(error as Error, object, key);
    }
    try {
      const patch = await answer;
      if (patch === undefined) {
        return 'clean';
      }
      return 'look' in patch ? patch : { operations: patch };
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof MustStay || isRefusal(error)
        ? refuseOne(error, object, key)
        : tryAgain(error, key);
    }
  };

  /** @returns whether something of ours may be left on the object. */
  const patch = async (object: T): Promise<'clean' | 'taken' | 'left'> => {
    const { uid } = object.metadata;
    const found = refused.has(uid) ? 'clean' : await patchFor(object);
    if (typeof found === 'string') {
      return found;
    }
    const { operations, look } = found;
    const { namespace, name } = object.metadata;
    const ref = namespace === undefined ? { name } : { namespace, name };
    const written = await guardedWrite(() =>
      client.patch(resource, ref, guardedPatch(object, operations), {
        signal,
        ...(subresource === undefined ? {} : { subresource }),
        ...(projection === undefined ? {} : { projection }),
        ...(look === undefined ? {} : { look }),
      }),
    );
    switch (written.kind) {
      case 'written': {
        tally.takenBack += 1;
        const notice = step.notice?.(object);
        if (notice !== undefined) {
          logger.warn({ what, key: objectKey(object), notice }, 'Taken back, mind the notice');
        }
        return 'taken';
      }
      case 'gone':
        return 'clean';
      case 'outdated':
        tally.outdated += 1;
        return 'left';
      case 'failed': {
        signal.throwIfAborted();
        const { error } = written;
        const key = objectKey(object);
        return isRefusal(error) ? refuseOne(error, object, key) : tryAgain(error, key);
      }
    }
  };

  /** One look at all objects. */
  const look = async (): Promise<Finding> => {
    let taken = 0;
    let left = 0;
    let isWhole = true;
    for (const namespace of scopes) {
      const pages = client.listPages(resource, {
        signal,
        ...(namespace === undefined ? {} : { namespace }),
        ...(step.labelSelector === undefined ? {} : { labelSelector: step.labelSelector }),
        ...(step.fieldSelector === undefined ? {} : { fieldSelector: step.fieldSelector }),
        ...(projection === undefined ? {} : { projection }),
      });
      try {
        for await (const { items } of pages) {
          tally.seen += items.length;
          const queue = items.values();
          const work = async (): Promise<void> => {
            for (const object of queue) {
              const outcome = await patch(object);
              taken += outcome === 'taken' ? 1 : 0;
              left += outcome === 'left' ? 1 : 0;
              if (denied) {
                return;
              }
            }
          };
          await Promise.all(Array.from({ length: concurrency }, work));
          if (denied) {
            return { taken, left, isWhole, isDenied: denied };
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        if (isNotFound(error)) {
          // A kind that is not served has no objects.
          continue;
        }
        if (isRefusal(error)) {
          refuse(error);
          continue;
        }
        logger.warn({ what, err: error }, 'List failed, will be tried again');
        isWhole = false;
      }
    }
    return { taken, left, isWhole, isDenied: denied };
  };

  if (step.isOurs !== undefined) {
    try {
      if (!(await step.isOurs(options))) {
        return true;
      }
    } catch (error) {
      signal.throwIfAborted();
      refuse(error as Error);
      return false;
    }
  }
  /** What the whole looks found at the least. With the last one instead, what others put back at random would count as progress. */
  let least = Infinity;
  for (let fruitless = 0; fruitless < fruitlessLooks;) {
    const { taken, left, isWhole, isDenied } = await look();
    const isClean = isWhole && left === 0 && (taken === 0 || dryRun);
    if (isClean || isDenied || dryRun) {
      return isClean;
    }
    // A list that expires half way has brought what it has taken; a whole one that finds as much as one before, nothing.
    fruitless = (isWhole ? taken < least : taken > 0) ? 0 : fruitless + 1;
    least = isWhole ? Math.min(taken, least) : least;
    if (left > 0 || !isWhole || fruitless > 0) {
      await sleep(clock, backoffDelay(fruitless, pause), signal);
    }
  }
  return false;
}

type Patch = { readonly operations: JsonPatch; readonly look?: Look };

/** What one look at all objects came to. */
interface Finding {
  readonly taken: number;
  /** Objects that may still have something of ours, and are worth another try. */
  readonly left: number;
  /** All objects were read. */
  readonly isWhole: boolean;
  /** RBAC denies a verb that is needed. */
  readonly isDenied: boolean;
}

/** The API server will not have it, however often it is asked. */
function isRefusal(error: unknown): error is ApiError {
  const passing = [401, 408, 410, 429];
  return error instanceof ApiError && error.code >= 400 && error.code < 500 && !passing.includes(error.code);
}

/** What RBAC denies, in the words of every release; undefined when it is no such error: a policy of admission says no otherwise. */
function missingPermission(error: Error): string | undefined {
  return isForbidden(error) ? /cannot (\w+ resource .+)$/.exec(error.status.message ?? '')?.[1] : undefined;
}
