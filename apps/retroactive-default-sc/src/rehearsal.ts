import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { guardedWrite, type ApiClient, type EventRecorder } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import type { HoldOff } from './hold-off.ts';
import { forbiddenWords, howToAllow, refusalOf } from './refusal.ts';

/** Asks the API server once, by a dry run, whether it lets a claim be given a class at all. */
export interface Rehearsal {
  /** The API server has answered; or it has not, and the first real patch will show it. */
  readonly isOver: () => boolean;
  /** Sends the dry run; a call while one is under way waits for that one. Never rejects. */
  play(claim: PersistentVolumeClaim, className: string | undefined, signal: AbortSignal): Promise<void>;
}

export interface RehearsalOptions {
  /** Makes a client whose writes are all dry runs; closed after the one it is made for. */
  readonly connectForDryRun: () => ApiClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly holdOff: HoldOff;
}

/** The dry run needs a name; the API server does not check that there is such a class. */
const anyClass = 'holdfast-rehearsal';

/**
 * What is patched is the first claim that waits, since the app is not allowed to create one to try with. It is tried at start
 * if a claim waits then, even without a default class, and otherwise as soon as one waits. The patch and the permission are
 * those of the real write, and nothing is stored.
 */
export function createRehearsal({ connectForDryRun, logger, events, holdOff }: RehearsalOptions): Rehearsal {
  let isOver = false;
  let underway: Promise<void> | undefined;

  const refused = (claim: PersistentVolumeClaim, error: unknown, round: number): void => {
    const { namespace, name } = claim.metadata;
    const refusal = refusalOf(error);
    switch (refusal.kind) {
      case 'forbidden':
        isOver = true;
        holdOff.forbidden(forbiddenWords(refusal.words), round);
        logger.error(
          { namespace, claim: name, says: refusal.words, howToAllow },
          'The API server does not allow claims to be given a class',
        );
        events.record(persistentVolumeClaims, claim, {
          type: 'Warning',
          reason: 'RetroactiveDefaultStorageClassDisabled',
          action: 'DryRunPatch',
          note: `The API server does not allow claims to be given a storage class after they were made: ${forbiddenWords(refusal.words)}`,
        });
        break;
      case 'refused':
        isOver = true;
        logger.info(
          { namespace, claim: name, says: refusal.words },
          'Not known whether the API server allows claims to be given a class',
        );
        break;
      case 'transient':
        logger.debug({ namespace, claim: name, err: error }, 'The dry run showed nothing');
        break;
    }
  };

  const ask = async (claim: PersistentVolumeClaim, className: string, signal: AbortSignal): Promise<void> => {
    const { namespace, name } = claim.metadata;
    const round = holdOff.trying();
    let client: ApiClient | undefined;
    const written = await guardedWrite(() => {
      client = connectForDryRun();
      return client.patch(persistentVolumeClaims, claim.metadata, assignPatch(claim, className), { signal });
    });
    await client?.close();
    switch (written.kind) {
      case 'written':
        isOver = true;
        logger.info({ namespace, claim: name }, 'The API server allows claims to be given a class');
        break;
      case 'gone':
      case 'outdated':
        logger.debug({ namespace, claim: name, written: written.kind }, 'The dry run showed nothing');
        break;
      case 'failed':
        refused(claim, written.error, round);
        break;
    }
  };

  return {
    isOver: () => isOver,
    play: (claim, className = anyClass, signal) =>
      (underway ??= ask(claim, className, signal).finally(() => {
        underway = undefined;
      })),
  };
}
