import type { KubernetesObject } from '@holdfast/core';
import type { ConnectedClient } from '../client/api-client.ts';
import { isNotFound, isPageNotFound } from '../client/api-error.ts';
import { servedVersions } from '../client/served-versions.ts';
import { backoffDelay } from '../time/backoff.ts';
import { sleep } from '../time/clock.ts';
import { createRefusals, isRefusal } from './refusals.ts';
import { createTakeBack, type Outcome } from './take-back.ts';
import type { StepOptions, Tally, UninstallStep } from './uninstall-step.ts';

/** After this many looks in a row without progress a step is given up; that takes some two minutes. */
const fruitlessLooks = 10;
/** Between two looks, in milliseconds. */
const pause = { initial: 500, max: 30_000, jitter: 0.5 };
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
  const { what, resource, projection } = step;
  /** Namespaces that are put off in each look until they have been completed without trouble. */
  const troubled = new Set<string>();
  const scopes: readonly (string | undefined)[] =
    resource.namespaced && namespaces.length > 0 ? namespaces : [undefined];
  const refusals = createRefusals(what, logger, tally);
  const takeBack = createTakeBack(step, options, tally, refusals);

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
            const outcome = await takeBack(object);
            if (name !== undefined) {
              note(name, outcome, clock.now() - started);
            }
            found.taken += outcome === 'taken' ? 1 : 0;
            found.left += outcome === 'failed' || outcome === 'outdated' ? 1 : 0;
            if (refusals.areFinal()) {
              return;
            }
          }
        };
        await Promise.all(Array.from({ length: concurrency }, work));
        if (refusals.areFinal()) {
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
        refusals.note(error);
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
      if (refusals.areFinal()) {
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
      if (refusals.areFinal()) {
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
      refusals.note(error as Error);
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
    if (isClean || refusals.areFinal() || dryRun) {
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
