import { setTimeout as pause } from 'node:timers/promises';
import { keyOf, persistentVolumeClaims, pods, type ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { claimBody, podBody, type ClaimStyle } from './cluster-objects.ts';
import type { Writer } from './writer.ts';

/** What a life needs. */
export interface Surroundings {
  readonly client: ApiClient;
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly storageClassName: string | undefined;
  /** Whether the controller has to keep a claim while a pod uses it, and release it afterwards. */
  readonly protection: boolean;
  /** How many milliseconds after its last user a claim may go before that counts as never. */
  readonly releaseLimit: number;
  /** How many milliseconds pass between two checks of whether it is gone. */
  readonly askInterval: number;
  /**
   * Records, in one line, that the controller did something it must not do, or failed to do something it
   * must.
   */
  readonly accuse: (what: string) => void;
}

/**
 * What happens to a claim and a pod of this name, from their creation to their end. Each change waits for its
 * turn.
 */
export type Life<Around extends Surroundings = Surroundings> = (
  ref: ObjectRef & { readonly namespace: string },
  around: Around,
) => Promise<void>;

const unused: Life = async (ref, around) => {
  await createClaim(ref, around, false);
  await touchClaim(ref, around);
  await deleteClaim(ref, around);
};

const deletedInUse: Life = async (ref, around) => {
  await createClaim(ref, around, true);
  const uid = await around.writer.uidOf(ref);
  await createPod(ref, ref, around);
  await deleteClaim(ref, around);
  await touchPod(ref, around);
  await expectHeld(ref, uid, around);
  await deletePod(ref, around);
};

const finished: Life = async (ref, around) => {
  await createClaim(ref, around, true);
  await createPod(ref, ref, around);
  await deleteClaim(ref, around);
  await finishPod(ref, around);
  await deletePod(ref, around);
};

/** Another pod takes the name of the one that used the claim. */
const podReplaced: Life = async (ref, around) => {
  await createClaim(ref, around, true);
  await createPod(ref, ref, around);
  await deleteClaim(ref, around);
  await deletePod(ref, around);
  await createPod(ref, undefined, around);
  await deletePod(ref, around);
};

/**
 * A new claim takes the name of the earlier one as soon as possible, and a new pod of the same name uses it.
 */
const claimReplaced: Life = async (ref, around) => {
  await createClaim(ref, around, true);
  await createPod(ref, ref, around);
  await deleteClaim(ref, around);
  await deletePod(ref, around);
  await untilGone(ref, around);
  await createClaim(ref, around, false);
  await createPod(ref, ref, around);
  await deletePod(ref, around);
  await deleteClaim(ref, around);
};

export const lives: readonly Life[] = [unused, deletedInUse, finished, podReplaced, claimReplaced];

export function createClaim(ref: ObjectRef, around: Surroundings, isProtected: boolean): Promise<void> {
  const { client, writer, storageClassName, protection } = around;
  const style: ClaimStyle = {
    isProtected: isProtected && protection,
    ...(storageClassName === undefined ? {} : { storageClassName }),
  };
  return writer.create(() =>
    client.create(persistentVolumeClaims, ref.namespace, claimBody(ref.name, style)),
  );
}

function touchClaim(ref: ObjectRef, { client, writer }: Surroundings): Promise<void> {
  const value = { touched: 'once' };
  return writer.patch(() =>
    client.patch(persistentVolumeClaims, ref, [{ op: 'add', path: '/metadata/labels', value }]),
  );
}

export function deleteClaim(ref: ObjectRef, { client, writer }: Surroundings): Promise<void> {
  return writer.delete(() => client.delete(persistentVolumeClaims, ref));
}

function createPod(ref: ObjectRef, claim: ObjectRef | undefined, around: Surroundings): Promise<void> {
  const { client, writer } = around;
  return writer.create(() => client.create(pods, ref.namespace, podBody(ref.name, claim)));
}

function touchPod(ref: ObjectRef, { client, writer }: Surroundings): Promise<void> {
  return writer.patch(() =>
    client.patch(pods, ref, [{ op: 'add', path: '/metadata/labels/touched', value: 'once' }]),
  );
}

function finishPod(ref: ObjectRef, { client, writer }: Surroundings): Promise<void> {
  return writer.patch(() =>
    client.patch(pods, ref, [{ op: 'add', path: '/status/phase', value: 'Succeeded' }], {
      subresource: 'status',
    }),
  );
}

export function deletePod(ref: ObjectRef, { client, writer }: Surroundings): Promise<void> {
  return writer.delete(() => client.delete(pods, ref, { gracePeriodSeconds: 0 }));
}

export async function expectHeld(
  ref: ObjectRef,
  uid: string | undefined,
  around: Surroundings,
): Promise<void> {
  if (around.protection && (await around.writer.uidOf(ref)) !== uid) {
    around.accuse(`claim ${keyOf(ref)} went while a pod used it`);
  }
}

export async function untilGone(ref: ObjectRef, around: Surroundings): Promise<void> {
  const { writer } = around;
  await eventually(
    `claim ${keyOf(ref)} goes after its last user`,
    async () => (await writer.uidOf(ref)) === undefined,
    around,
  );
}

/**
 * Waits for what the controllers have to do, and accuses them if it does not happen within the limit. Then
 * this life is stuck, but the others go on.
 *
 * @throws the signal's reason when aborted
 */
export async function eventually(
  what: string,
  hasCome: () => Promise<boolean>,
  { signal, accuse, releaseLimit, askInterval }: Surroundings,
): Promise<void> {
  const deadline = performance.now() + releaseLimit;
  while (!(await hasCome())) {
    signal.throwIfAborted();
    if (performance.now() > deadline) {
      accuse(`not within ${String(releaseLimit / 1000)} s: ${what}`);
      await new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    }
    await pause(askInterval);
  }
}
