import {
  guardedPatch,
  objectKey,
  type ApiResource,
  type JsonPatch,
  type KubernetesObject,
} from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient, ConnectedClient } from '../client/api-client.ts';
import { ApiError, isForbidden, isNotFound, isPageNotFound } from '../client/api-error.ts';
import { guardedWrite } from '../client/guarded-write.ts';
import type { Look } from '../client/look.ts';
import { servedVersions } from '../client/served-versions.ts';
import { backoffDelay } from '../time/backoff.ts';
import { sleep, type Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';

/**
 * One kind of thing that an app has put on objects, and how to take it back.
 *
 *     const finalizer: UninstallStep<PersistentVolumeClaim> = {
 *       what: 'finalizer kubernetes.io/pvc-protection',
 *       resource: persistentVolumeClaims,
 *       projection: slimClaim,
 *       takeBack: (claim) => removeFinalizer(claim, finalizers.pvcProtection),
 *     };
 */
export interface UninstallStep<T extends KubernetesObject> {
  /** What is taken back, for the log. */
  readonly what: string;
  readonly resource: ApiResource<T>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The fields that `takeBack` reads. Default: whole objects. */
  readonly projection?: Projection<T>;
  /** The subresource to patch, for example `status`. Default: the object itself. */
  readonly subresource?: string;
  /**
   * Returns the patch that removes the app's part from the object, or undefined if the object has none. Must
   * be pure. The operations must `test` what they remove or replace; a test of the UID is added. After the
   * patch the object is looked at again, and the result must then be undefined.
   *
   * If the decision needs more than the object, return a promise. If it rejects, it is retried, unless the
   * API server refused for good.
   *
   * @throws MustStay if what is on the object cannot be taken back for now. It counts as refused, and holds
   *   up no other object.
   */
  takeBack(object: T, options: StepOptions): JsonPatch | undefined | Promise<GroundedPatch | undefined>;
  /**
   * Asked once, before the first look, with the lease held. It returns false if another program keeps what is
   * on the objects; the app itself logs why. Then the step is done, and nothing counts as left. Default:
   * true.
   *
   * @throws what the client throws: then nothing is taken back.
   */
  isOurs?(options: StepOptions): Promise<boolean>;
  /**
   * Returns what an administrator should know about an object from which something was taken, given its state
   * before; it is logged with the object's name. Undefined: nothing. Must be pure. Default: nothing for any
   * object.
   */
  notice?(object: T): string | undefined;
}

/**
 * A patch and the live look that it is based on; it is not sent if the look has grown too old, see
 * {@link Look}.
 */
export interface GroundedPatch {
  readonly operations: JsonPatch;
  readonly look: Look;
}

/** What the app has put on an object must stay there for now; the message says why, and what to do. */
export class MustStay extends Error {
  override readonly name = 'MustStay';
}

/** The counts of a step so far. */
export interface Tally {
  /** Objects that were read, counted in each look. */
  seen: number;
  /** Objects from which something was taken; in a dry run, from which it would be. */
  takenBack: number;
  /** Writes that came too late, since the object had changed; it was looked at again. */
  outdated: number;
  /**
   * Objects on which something might stay for good, because the patch was refused or the object could not be
   * read; refused lists count too.
   */
  refused: number;
}

/** What a step of an uninstall works with. */
export interface StepOptions {
  readonly client: ApiClient;
  /** Empty: all namespaces. All objects of cluster-scoped kinds are looked at. */
  readonly namespaces: readonly string[];
  /** How many patches are under way at once. */
  readonly concurrency: number;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the step at once; what was taken back stays so. */
  readonly signal: AbortSignal;
}

/** After this many looks in a row without progress a step is given up; that takes some two minutes. */
const fruitlessLooks = 10;
/** Between two looks, in milliseconds. */
const pause = { initial: 500, max: 30_000, jitter: 0.5 };
/** How many refusals are logged individually. */
const loggedRefusals = 20;
/** A try that takes longer than this, in milliseconds, counts towards putting its namespace off. */
const slow = 5_000;

/**
 * Takes back what one step names: looks at all objects page by page, patches those that have something to
 * take back, and looks again until there is nothing left.
 *
 * What is outdated, and what failed without being refused, is left to the next look. An object whose patch is
 * refused for good (a policy, validation) is logged and skipped, and holds up no other. A verb that RBAC
 * denies ends the step.
 *
 * A namespace is put off until all others are done if as many tries in a row as can be under way at once have
 * failed or taken 5 s, as behind a webhook that hangs. If as many in a row fail then, it is put off to the
 * next look.
 *
 * @param tally is kept up to date meanwhile.
 * @returns whether the last look found nothing to take back, apart from refusals; in a dry run, which takes
 *   one look, whether no patch failed.
 * @throws the signal's reason when aborted; nothing else.
 */
export async function runStep<T extends KubernetesObject>(
  step: UninstallStep<T>,
  options: StepOptions & { readonly client: ConnectedClient },
  tally: Tally,
): Promise<boolean> {
  const { client, namespaces, concurrency, dryRun, clock, logger, signal } = options;
  const { what, resource, subresource, projection } = step;
  const refused = new Set<string>();
  /** Namespaces that are put off in each look until they have been completed without trouble. */
  const troubled = new Set<string>();
  const scopes: readonly (string | undefined)[] =
    resource.namespaced && namespaces.length > 0 ? namespaces : [undefined];
  let denied = false as boolean;

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
  const tryAgain = (error: unknown, key: string): 'failed' => {
    logger.warn({ what, key, err: error }, 'Taking back failed, will be tried again');
    return 'failed';
  };

  const patchFor = async (object: T): Promise<Patch | 'clean' | 'failed'> => {
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

  const patch = async (object: T): Promise<Outcome> => {
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
        return 'outdated';
      case 'failed': {
        signal.throwIfAborted();
        const { error } = written;
        const key = objectKey(object);
        return isRefusal(error) ? refuseOne(error, object, key) : tryAgain(error, key);
      }
    }
  };

  /** Returns false only if discovery says that the kind is not served in any version. */
  const mightBeServed = async (): Promise<boolean> => {
    try {
      const versions = await servedVersions(client, resource, { signal });
      if (versions.length > 0 && !versions.includes(resource.version)) {
        const { plural, version } = resource;
        logger.warn(
          { what, resource: plural, version, servedVersions: versions },
          'The kind is served in other versions only: uninstall with a release that knows one of them',
        );
      }
      return versions.length > 0;
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ what, err: error }, 'Discovery failed, will be tried again');
      return true;
    }
  };

  /**
   * Looks at the objects of one scope, except those of namespaces that are put off, and adds to the findings.
   * If the list expires between two pages (410), the objects patched so far stay patched, and the next look
   * begins anew.
   */
  const lookAt = async (scope: Scope, found: Found): Promise<void> => {
    const rows = new Map<string, number>();
    const note = (name: string, outcome: Outcome, duration: number): void => {
      const isTrouble = outcome === 'failed' || (!scope.isLast && duration > slow);
      if (outcome === 'clean' && !isTrouble) {
        // Usually no request was sent for such an object.
        return;
      }
      const row = isTrouble ? (rows.get(name) ?? 0) + 1 : 0;
      rows.set(name, row);
      if (row >= concurrency) {
        scope.putOff(name);
      }
    };
    const pages = client.listPages(resource, {
      signal,
      ...(scope.namespace === undefined ? {} : { namespace: scope.namespace }),
      ...(step.labelSelector === undefined ? {} : { labelSelector: step.labelSelector }),
      ...(step.fieldSelector === undefined ? {} : { fieldSelector: step.fieldSelector }),
      ...(projection === undefined ? {} : { projection }),
    });
    try {
      for await (const { items } of pages) {
        const queue = items.values();
        const work = async (): Promise<void> => {
          for (const object of queue) {
            const { namespace: name } = object.metadata;
            if (name !== undefined && scope.isPutOff(name)) {
              continue;
            }
            tally.seen += 1;
            const started = clock.now();
            const outcome = await patch(object);
            if (name !== undefined) {
              note(name, outcome, clock.now() - started);
            }
            found.taken += outcome === 'taken' ? 1 : 0;
            found.left += outcome === 'failed' || outcome === 'outdated' ? 1 : 0;
            if (denied) {
              return;
            }
          }
        };
        await Promise.all(Array.from({ length: concurrency }, work));
        if (denied) {
          return;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      // A kind that is not served has no objects.
      if (isNotFound(error) || (isPageNotFound(error) && !(await mightBeServed()))) {
        return;
      }
      if (isRefusal(error)) {
        refuse(error);
        return;
      }
      logger.warn({ what, err: error }, 'List failed, will be tried again');
      found.isWhole = false;
    }
  };

  /** One look at all objects. */
  const look = async (): Promise<Found> => {
    const found: Found = { taken: 0, left: 0, isWhole: true };
    for (const namespace of scopes) {
      await lookAt(
        {
          namespace,
          isLast: false,
          isPutOff: (name) => troubled.has(name),
          putOff: (name) => {
            troubled.add(name);
            logger.warn(
              { what, namespace: name },
              'Writes in the namespace take long, the others come first',
            );
          },
        },
        found,
      );
      if (denied) {
        return found;
      }
    }
    for (const namespace of [...troubled]) {
      let isGivenUp = false as boolean;
      await lookAt(
        {
          namespace,
          isLast: true,
          isPutOff: () => isGivenUp,
          putOff: () => {
            isGivenUp = true;
          },
        },
        found,
      );
      if (denied) {
        return found;
      }
      if (!isGivenUp) {
        troubled.delete(namespace);
      }
    }
    return found;
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
  /**
   * The least that a complete look has found. Compared with the last look only, things that others put back
   * at random would count as progress.
   */
  let least = Infinity;
  for (let fruitless = 0; fruitless < fruitlessLooks;) {
    const { taken, left, isWhole } = await look();
    const isClean = isWhole && left === 0 && (taken === 0 || dryRun);
    if (isClean || denied || dryRun) {
      return isClean;
    }
    // A list that expires half way has made progress if it took something; a complete one only if it found
    // less than all before.
    fruitless = (isWhole ? taken < least : taken > 0) ? 0 : fruitless + 1;
    least = isWhole ? Math.min(taken, least) : least;
    if (left > 0 || !isWhole || fruitless > 0) {
      await sleep(clock, backoffDelay(fruitless, pause), signal);
    }
  }
  return false;
}

type Patch = { readonly operations: JsonPatch; readonly look?: Look };

/** The result of a try. After all but the first two, something might be left on the object. */
type Outcome = 'clean' | 'taken' | 'outdated' | 'failed';

/** The findings of one look at all objects. */
interface Found {
  taken: number;
  /** Objects that were tried, might still have something to take back, and are worth another try. */
  left: number;
  /** Whether all objects were read. */
  isWhole: boolean;
}

/** The objects that one pass looks at. */
interface Scope {
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /**
   * Whether everything that is not put off is done. Then only failures put a namespace off, to the next look.
   */
  readonly isLast: boolean;
  isPutOff(namespace: string): boolean;
  putOff(namespace: string): void;
}

/** Returns whether the API server would refuse it however often it is sent. */
function isRefusal(error: unknown): error is ApiError {
  const passing = [401, 408, 410, 429];
  return (
    error instanceof ApiError &&
    error.code >= 400 &&
    error.code < 500 &&
    !passing.includes(error.code) &&
    !isPageNotFound(error)
  );
}

/**
 * Returns what RBAC denies, in the words of every release; undefined for other errors, since an admission
 * policy words its denials differently.
 */
function missingPermission(error: Error): string | undefined {
  // The pattern matches only the last "cannot": a webhook's message can contain ten thousand of them.
  const [, denied] = isForbidden(error)
    ? (/^.*\bcannot (\w+ resource .+)$/.exec(error.status.message ?? '') ?? [])
    : [];
  return denied;
}
