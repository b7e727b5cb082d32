import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';

/** Sees what is done on the stages of a test file, to compare it with what somebody says of it. */
export interface StageWitness {
  /**
   * A stage opens; nothing was done on it yet.
   *
   * @param app its name.
   */
  opened(plane: ControlPlane, app: string): Promise<StageNotes>;
}

/** What a witness is told of one stage. */
export interface StageNotes {
  /** The hand of the story writes this object: before the request leaves. What it gives back is called when that was answered. */
  acts(resource: ApiResource<KubernetesObject>, ref: ObjectRef): () => void;
  /** Controllers start with these options of their app. What it gives back is called before they are told to end. */
  starts(options: unknown): () => void;
  /** The stage is about to close: the controllers that were not stopped still run. */
  closes(): Promise<void>;
}

let present: StageWitness | undefined;

/**
 * Every stage that is opened from now on has this witness, until the function that is given back is called. One at a time.
 *
 * @throws Error when there is one already.
 */
export function callWitness(witness: StageWitness): () => void {
  if (present !== undefined) {
    throw new Error('the stages have a witness already; dismiss that first');
  }
  present = witness;
  return () => {
    present = undefined;
  };
}

/** The notes of the witness, where there is one. */
export function openNotes(plane: ControlPlane, app: string): Promise<StageNotes> | undefined {
  return present?.opened(plane, app);
}

/** The client, whose writes are noted. What is created is so only where the story gives it its name. */
export function notingClient<Client extends ApiClient>(client: Client, { acts }: StageNotes): Client {
  const noted = async <T>(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    write: () => Promise<T>,
  ): Promise<T> => {
    const done = acts(resource, ref);
    try {
      return await write();
    } finally {
      done();
    }
  };
  return {
    ...client,
    create: (resource, namespace, object, options) => {
      const { name = '' } = (object as { readonly metadata?: { readonly name?: string } }).metadata ?? {};
      const ref = namespace === undefined ? { name } : { namespace, name };
      return noted(resource, ref, () => client.create(resource, namespace, object, options));
    },
    patch: (resource, ref, patch, options) =>
      noted(resource, ref, () => client.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) => noted(resource, ref, () => client.delete(resource, ref, options)),
  };
}
