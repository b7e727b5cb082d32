import type { ApiResource, KubernetesObject, ObjectRef } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';

/**
 * Observes what is done on the stages of a test file, to compare it with what another program says about it.
 */
export interface StageWitness {
  /**
   * Called when a stage opens, before anything is done on it.
   *
   * @param app its name
   */
  opened(plane: ControlPlane, app: string): Promise<StageNotes>;
}

/** What a witness observes on one stage. */
export interface StageNotes {
  /**
   * Called when the story itself is about to write this object, before the request is sent. Returns a
   * function that is called when the request was answered.
   */
  acts(resource: ApiResource<KubernetesObject>, ref: ObjectRef): () => void;
  /**
   * Called when controllers start with these options of their app. Returns a function that is called before
   * they are stopped.
   */
  starts(options: unknown): () => void;
  /** Called when the stage is about to close, while the controllers that were not stopped still run. */
  closes(): Promise<void>;
}

let present: StageWitness | undefined;

/**
 * Makes the witness observe every stage that opens from now on, until the returned function is called. There
 * can be only one at a time.
 *
 * @throws Error if there is one already
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

/** The notes of the witness, if there is one. */
export function openNotes(plane: ControlPlane, app: string): Promise<StageNotes> | undefined {
  return present?.opened(plane, app);
}

/** Returns the client with its writes noted. Creations are noted only if the story chooses the name. */
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
