import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import type { ApiClient, EventRecorder } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import type { HoldOff } from './hold-off.ts';
import { failureOf, forbiddenWords, howToAllow } from './refusal.ts';

/** Asks the API server once, by a dry run, whether it lets a claim be given a class at all. */
export interface Rehearsal {
  /** It has answered; or has not, and the first real patch will tell. */
  readonly isOver: () => boolean;
  /** Whoever comes while it is under way waits for its end. Never rejects. */
  play(claim: PersistentVolumeClaim, className: string | undefined, signal: AbortSignal): Promise<void>;
}

export interface RehearsalOptions {
  /** Makes a client whose writes are all dry runs; closed after the one it is made for. */
  readonly connectForDryRun: () => ApiClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly holdOff: HoldOff;
}

/** A dry run needs a name, and the API server does not ask whether there is such a class. */
const anyClass = 'holdfast-rehearsal';

/**
 * The first claim that waits is what is patched, since nothing may be created to try with: from the start on when one waits,
 * for a default too that is not there yet; else as soon as one does. The same patch, the same permission, and nothing is
 * stored.
 */
export function createRehearsal({ connectForDryRun, logger, events, holdOff }: RehearsalOptions): Rehearsal {
  let isOver = false;
  let underway: Promise<void> | undefined;

  const ask = async (claim: PersistentVolumeClaim, className: string, signal: AbortSignal): Promise<void> => {
    const { namespace, name } = claim.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    const round = holdOff.trying();
    let client: ApiClient | undefined;
    try {
      client = connectForDryRun();
      await client.patch(persistentVolumeClaims, ref, assignPatch(claim, className), { signal });
      isOver = true;
      logger.info({ namespace, claim: name }, 'The API server allows claims to be given a class');
    } catch (error) {
      const failure = failureOf(error);
      switch (failure.kind) {
        case 'forbidden':
          isOver = true;
          holdOff.forbidden(forbiddenWords(failure.words), round);
          logger.error(
            { namespace, claim: name, says: failure.words, howToAllow },
            'The API server does not allow claims to be given a class',
          );
          events.record(persistentVolumeClaims, claim, {
            type: 'Warning',
            reason: 'RetroactiveDefaultStorageClassDisabled',
            action: 'DryRunPatch',
            note: `The API server does not allow claims to be given a storage class after they were made: ${forbiddenWords(failure.words)}`,
          });
          break;
        case 'refused':
          isOver = true;
          logger.info(
            { namespace, claim: name, says: failure.words },
            'Not known whether the API server allows claims to be given a class',
          );
          break;
        case 'gone':
        case 'changed':
        case 'transient':
          logger.debug({ namespace, claim: name, err: error }, 'The dry run told nothing');
          break;
      }
    } finally {
      await client?.close();
      underway = undefined;
    }
  };

  return {
    isOver: () => isOver,
    play: (claim, className = anyClass, signal) => (underway ??= ask(claim, className, signal)),
  };
}
