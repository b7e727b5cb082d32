import { persistentVolumeClaims, type PersistentVolumeClaim } from '@holdfast/core';
import { guardedWrite, sleep, type ApiClient, type Clock, type EventRecorder } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { assignPatch } from './assign-patch.ts';
import type { HoldOff } from './hold-off.ts';
import { forbiddenWords, howToAllow, perhapsForbiddenWords, refusalOf, type Refusal } from './refusal.ts';

/** Asks the API server once, by dry runs, whether it lets a claim be given a class at all. */
export interface Rehearsal {
  /** The API server has answered; or it has not, and the first real patch will show it. */
  readonly isOver: () => boolean;
  /**
   * Sends the dry runs, and waits for their end. A call while they are under way waits for that end too, but not for long, since they
   * might hang in a namespace that is not the caller's. Never rejects.
   */
  play(claim: PersistentVolumeClaim, className: string | undefined, signal: AbortSignal): Promise<void>;
}

export interface RehearsalOptions {
  /** Makes a client whose writes are all dry runs; closed after those it is made for. */
  readonly connectForDryRun: () => ApiClient;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly holdOff: HoldOff;
  /** The claims that wait. */
  readonly waitingClaims: () => readonly PersistentVolumeClaim[];
  /** Of how long a claim waits for the dry runs of others. */
  readonly clock: Clock;
}

/** Dry runs that take longer than this are waited for by the claim that began them alone. Milliseconds. */
const patience = 2_000;

/** The dry run needs a name; the API server does not check that there is such a class. */
const anyClass = 'holdfast-rehearsal';

/**
 * What is patched is the first claim that waits, since the app is not allowed to create one to try with. It is tried at start
 * if a claim waits then, even without a default class, and otherwise as soon as one waits. The patch and the permission are
 * those of the real write, and nothing is stored.
 *
 * A claim that is refused in the words of a server that forbids all is not taken at its word alone: another one is tried, of another
 * namespace if there is one.
 */
export function createRehearsal(options: RehearsalOptions): Rehearsal {
  const { connectForDryRun, logger, events, holdOff, waitingClaims, clock } = options;
  let isOver = false;
  let underway: { readonly end: Promise<void>; readonly begunAt: number } | undefined;

  /** @returns undefined when the answer shows nothing of the server. */
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

/** One of another namespace rather than one of the same; undefined: no other waits. */
function anotherThan(
  { metadata: { namespace, uid } }: PersistentVolumeClaim,
  claims: readonly PersistentVolumeClaim[],
): PersistentVolumeClaim | undefined {
  return (
    claims.find(({ metadata }) => metadata.namespace !== namespace) ??
    claims.find(({ metadata }) => metadata.uid !== uid)
  );
}
