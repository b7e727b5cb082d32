import {
  claimUses,
  finalizers,
  hasFinalizer,
  isTerminating,
  persistentVolumeClaims,
  pods,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { guardedWrite, listAll, sleep, type ApiClient, type StepOptions } from '@holdfast/runtime';
import { slimClaim, slimPod } from '../slim.ts';
import { takeOffPatch } from './take-off-patch.ts';

/** How many claims are considered for the trial; there are more only where writes are refused. */
const candidates = 20;
/** Time between two looks at the tried claim, in milliseconds. */
const period = 500;

/**
 * Finds out whether another controller keeps the finalizer on claims, as kube-controller-manager's own does.
 * It removes the finalizer from one claim and watches that claim for a while. The API does not show which
 * controllers run, and removing the finalizer from thousands of claims to see it return would leave each of
 * them unprotected for a moment.
 *
 * The one claim is not terminating, and no pod names it, if the first twenty include such a claim. If the
 * finalizer does not return, the claim has lost it a moment before the others. A claim whose finalizer cannot
 * be removed shows nothing. Nor does one that is deleted or changed before, or deleted meanwhile, on which
 * nobody could put it back. In each case the next claim is tried.
 *
 * A dry run tries nothing, and returns false.
 *
 * @param patience in milliseconds.
 * @throws Error if there were claims to try, and none showed anything; what the lists throw; the signal's
 *   reason.
 */
export async function isPutBack(options: StepOptions, patience: number): Promise<boolean> {
  const { client, logger, dryRun, signal } = options;
  if (dryRun) {
    logger.info('Whether another controller keeps the finalizer on claims is not tried in a dry run');
    return false;
  }
  const claims = await claimsToTry(options);
  let refusal: unknown;
  let refused = 0;
  for (const claim of claims) {
    const written = await guardedWrite(() =>
      client.patch(persistentVolumeClaims, claim.metadata, takeOffPatch(claim), {
        projection: slimClaim,
        signal,
      }),
    );
    signal.throwIfAborted();
    if (written.kind === 'failed') {
      refusal = written.error;
      refused += 1;
    }
    if (written.kind === 'written') {
      const { namespace, name } = claim.metadata;
      logger.info(
        { namespace, claim: name, patienceMs: patience },
        'Finalizer taken off one claim, to see whether another controller puts it back',
      );
      switch (await outcomeOf(claim, options, patience)) {
        case 'put back':
          logger.info(
            { namespace, claim: name, finalizer: finalizers.pvcProtection },
            'Another controller puts the finalizer back (kube-controller-manager, or a process of this app without the lease): left to it',
          );
          return true;
        case 'left off':
          return false;
        case 'deleted':
          logger.info({ namespace, claim: name }, 'The claim was deleted meanwhile, another one is tried');
      }
    }
  }
  if (refused < claims.length) {
    throw new Error(
      'each claim that was tried was deleted or changed before it showed whether another controller keeps the finalizer; run this again',
    );
  }
  if (refused > 0) {
    throw new Error(
      `none of the claims that were tried could be written, so it is unknown whether another controller keeps the finalizer; let one be written, or choose other --namespaces, and run this again: ${messageOf(refusal)}`,
    );
  }
  return false;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Takes claims from all namespaces in turn, since writes in one of them might be refused or hang. Claims that
 * no pod names come first.
 */
async function claimsToTry({
  client,
  namespaces,
  signal,
}: StepOptions): Promise<readonly PersistentVolumeClaim[]> {
  const byNamespace = new Map<string, PersistentVolumeClaim[]>();
  const scopes = namespaces.length > 0 ? namespaces.map((namespace) => ({ namespace })) : [{}];
  for (const scope of scopes) {
    for await (const claim of listAll(client, persistentVolumeClaims, {
      ...scope,
      projection: slimClaim,
      signal,
    })) {
      const { namespace = '' } = claim.metadata;
      const known = byNamespace.get(namespace) ?? [];
      if (
        known.length < candidates &&
        !isTerminating(claim) &&
        hasFinalizer(claim, finalizers.pvcProtection)
      ) {
        byNamespace.set(namespace, [...known, claim]);
      }
      if (byNamespace.size === candidates) {
        break;
      }
    }
  }
  const found = inTurn([...byNamespace.values()]).slice(0, candidates);
  const named: PersistentVolumeClaim[] = [];
  for (const claim of found) {
    if (!(await isNamed(client, claim, signal))) {
      return [claim, ...found.filter((other) => other !== claim)];
    }
    named.push(claim);
  }
  return named;
}

/** Returns the first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

async function isNamed(
  client: ApiClient,
  { metadata: { namespace = '', name } }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const pod of listAll(client, pods, { namespace, projection: slimPod, signal })) {
    if (claimUses(pod).some(({ claimName }) => claimName === name)) {
      return true;
    }
  }
  return false;
}

async function outcomeOf(
  { metadata: { namespace = '', name, uid } }: PersistentVolumeClaim,
  { client, clock, signal }: StepOptions,
  patience: number,
): Promise<'put back' | 'left off' | 'deleted'> {
  for (let waited = 0; waited < patience; waited += period) {
    await sleep(clock, period, signal);
    // Uses a list of one object, because the role does not allow `get`.
    const { items } = await client.list(persistentVolumeClaims, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      projection: slimClaim,
      signal,
    });
    const now = items.find(({ metadata }) => metadata.uid === uid);
    if (now !== undefined && hasFinalizer(now, finalizers.pvcProtection)) {
      return 'put back';
    }
    if (now === undefined || isTerminating(now)) {
      return 'deleted';
    }
  }
  return 'left off';
}
