import { setTimeout as pause } from 'node:timers/promises';
import { keyOf, persistentVolumeClaims, pods, type ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { claimBody, podBody, type ClaimStyle } from './cluster-objects.ts';
import type { Writer } from './writer.ts';

/** Where and with what a life is lived. */
export interface Surroundings {
  readonly client: ApiClient;
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly storageClassName: string | undefined;
  /** A claim that a pod uses is kept by the controller, and let go when none does any more. */
  readonly protection: boolean;
  /** How much later than its last user a claim may go before that counts as never, milliseconds. */
  readonly releaseLimit: number;
  /** How often it is asked whether it is gone, milliseconds. */
  readonly askInterval: number;
  /** The controller did what it must not do, or did not do what it must; told in a line. */
  readonly accuse: (what: string) => void;
}

/** What becomes of a claim and a pod of this name, from their creation to their end. Between two changes is a turn's wait. */
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

/** Another claim takes the name of the one before as soon as it can, and is used by another pod of the same name. */
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
 * Waits for what the controllers owe, and accuses them when it does not come within the limit; the life is stuck then, and the others go on.
 *
 * @throws the signal's reason when aborted.
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
