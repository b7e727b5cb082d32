import { guardedPatch, objectKey, type JsonPatch, type KubernetesObject } from '@holdfast/core';
import { guardedWrite } from '../client/guarded-write.ts';
import type { Look } from '../client/look.ts';
import { isRefusal, type Refusals } from './refusals.ts';
import { MustStay, type StepOptions, type Tally, type UninstallStep } from './uninstall-step.ts';

/** The result of a try. After all but the first two, something might be left on the object. */
export type Outcome = 'clean' | 'taken' | 'outdated' | 'failed';

type Patch = { readonly operations: JsonPatch; readonly look?: Look };

/**
 * Creates the part of a step that takes back what is on one object. An object that is refused once is not tried
 * again.
 *
 * @returns a function that throws the signal's reason when aborted; nothing else.
 */
export function createTakeBack<T extends KubernetesObject>(
  step: UninstallStep<T>,
  options: StepOptions,
  tally: Tally,
  refusals: Pick<Refusals, 'note'>,
): (object: T) => Promise<Outcome> {
  const { client, logger, signal } = options;
  const { what, resource, subresource, projection } = step;
  /** UIDs. */
  const refused = new Set<string>();

  const refuseOne = (error: Error, { metadata: { uid } }: T, key: string): 'clean' => {
    refused.add(uid);
    refusals.note(error, key);
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

  return async (object) => {
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
}
