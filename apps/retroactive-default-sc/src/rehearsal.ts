import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { guardedWrite, sleep, type ApiClient, type Clock, type EventRecorder } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import type { HoldOff } from './hold-off.ts';
import { forbiddenWords, howToAllow, perhapsForbiddenWords, refusalOf, type Refusal } from './refusal.ts';

/** Asks the API server once, by dry runs, whether it lets any claim get a class. */
export interface Rehearsal {
  /** Returns whether the API server has answered; if it could not, the first real patch will show it. */
  readonly isOver: () => boolean;
  /**
   * Sends the dry runs, and waits for their end. A call while they are under way also waits for that end, but
   * not for long, since they might hang in another namespace than the caller's. Never rejects.
   */
  play(claim: PersistentVolumeClaim, className: string | undefined, signal: AbortSignal): Promise<void>;
}

export interface RehearsalOptions {
  /** Creates a client whose writes are all dry runs; it is closed after them. */
  readonly connectForDryRun: () => ApiClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly holdOff: HoldOff;
  /** Returns the waiting claims. */
  readonly waitingClaims: () => readonly PersistentVolumeClaim[];
  /** The clock for how long a claim waits for the dry runs of others. */
  readonly clock: Clock;
}

/** In milliseconds. If the dry runs take longer, only the claim that began them waits for them. */
const patience = 2_000;

/** The dry run needs a class name; the API server does not check that the class exists. */
const anyClass = 'holdfast-rehearsal';

/**
 * Creates the rehearsal. It patches the first waiting claim, since the app has no permission to create one
 * for the purpose. It runs at the start if a claim waits then, even without a default class, and otherwise as
 * soon as one waits. The patch and the required permission are those of the real write, and nothing is
 * stored.
 *
 * One claim's refusal in the words of a server that forbids all is not enough: another claim is tried, in
 * another namespace if possible.
 */
export function createRehearsal(options: RehearsalOptions): Rehearsal {
  const { connectForDryRun, logger, events, holdOff, waitingClaims, clock } = options;
  let isOver = false;
  let underway: { readonly end: Promise<void>; readonly begunAt: number } | undefined;

  /** @returns undefined if the response says nothing about the server. */
  const tryWith = async (
    client: ApiClient,
    claim: PersistentVolumeClaim,
    className: string,
    signal: AbortSignal,
  ): Promise<Refusal | 'allowed' | undefined> => {
    const { namespace, name } = claim.metadata;
    const round = holdOff.trying(claim);
    const written = await guardedWrite(() =>
      client.patch(persistentVolumeClaims, claim.metadata, assignPatch(claim, className), { signal }),
    );
    switch (written.kind) {
      case 'written':
        return 'allowed';
      case 'gone':
      case 'outdated':
        logger.debug({ namespace, claim: name, written: written.kind }, 'The dry run showed nothing');
        return undefined;
      case 'failed': {
        const refusal = refusalOf(written.error);
        if (refusal.kind === 'transient') {
          logger.debug({ namespace, claim: name, err: written.error }, 'The dry run showed nothing');
          return undefined;
        }
        if (refusal.kind === 'forbidden') {
          holdOff.forbidden(claim, className, forbiddenWords(refusal.words), round);
        }
        return refusal;
      }
    }
  };

  /** @param isSure claims of two namespaces were refused alike. */
  const recordForbidden = (claim: PersistentVolumeClaim, words: string, isSure: boolean): void => {
    const { namespace, name } = claim.metadata;
    logger.error(
      { namespace, claim: name, says: words, howToAllow },
      isSure
        ? 'The API server does not allow claims to be given a class'
        : 'The API server might not allow claims to be given a class: it did not in the only namespace that was tried',
    );
    events.record(persistentVolumeClaims, claim, {
      type: 'Warning',
      reason: 'RetroactiveDefaultStorageClassDisabled',
      action: 'DryRunPatch',
      note: isSure
        ? `The API server does not allow claims to be given a storage class after they were made: ${forbiddenWords(words)}`
        : `The API server does not allow the claim to be given a storage class after it was made: ${perhapsForbiddenWords(words)}`,
    });
  };

  const ask = async (
    client: ApiClient,
    claim: PersistentVolumeClaim,
    className: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const first = await tryWith(client, claim, className, signal);
    let answer = first;
    let other: PersistentVolumeClaim | undefined;
    if (first !== undefined && first !== 'allowed' && first.kind === 'forbidden') {
      other = anotherThan(claim, waitingClaims());
      answer = other === undefined ? first : await tryWith(client, other, className, signal);
      if (answer === 'allowed' && other !== undefined) {
        holdOff.accepted(other);
      }
    }
    isOver ||= first !== undefined;
    const { namespace, name } = claim.metadata;
    if (answer === 'allowed') {
      logger.info({ namespace, claim: name }, 'The API server allows claims to be given a class');
    } else if (answer?.kind === 'forbidden') {
      const isSure = other !== undefined && other.metadata.namespace !== claim.metadata.namespace;
      recordForbidden(claim, answer.words, isSure);
    } else if (answer !== undefined) {
      logger.info(
        { namespace, claim: name, says: answer.kind === 'refused' ? answer.words : undefined },
        'Not known whether the API server allows claims to be given a class',
      );
    }
  };

  const play = async (
    claim: PersistentVolumeClaim,
    className: string,
    signal: AbortSignal,
  ): Promise<void> => {
    let client: ApiClient;
    try {
      client = connectForDryRun();
    } catch (error) {
      logger.debug({ err: error }, 'The dry run showed nothing');
      return;
    }
    await ask(client, claim, className, signal);
    await client.close();
  };

  const waitBriefly = async (end: Promise<void>, begunAt: number): Promise<void> => {
    const isEnough = new AbortController();
    const limit = sleep(clock, begunAt + patience - clock.now(), isEnough.signal).catch(() => undefined);
    await Promise.race([end, limit]);
    isEnough.abort();
  };

  return {
    isOver: () => isOver,
    play: async (claim, className = anyClass, signal) => {
      if (underway !== undefined) {
        await waitBriefly(underway.end, underway.begunAt);
        return;
      }
      const end = play(claim, className, signal).finally(() => {
        underway = undefined;
      });
      underway = { end, begunAt: clock.now() };
      await end;
    },
  };
}

/** Prefers a claim of another namespace; undefined if no other claim waits. */
function anotherThan(
  { metadata: { namespace, uid } }: PersistentVolumeClaim,
  claims: readonly PersistentVolumeClaim[],
): PersistentVolumeClaim | undefined {
  return (
    claims.find(({ metadata }) => metadata.namespace !== namespace) ??
    claims.find(({ metadata }) => metadata.uid !== uid)
  );
}
