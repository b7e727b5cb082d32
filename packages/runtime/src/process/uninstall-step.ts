import type { ApiResource, JsonPatch, KubernetesObject } from '@holdfast/core';
import type { Logger } from 'pino';
import type { ApiClient } from '../client/api-client.ts';
import type { Look } from '../client/look.ts';
import type { Clock } from '../time/clock.ts';
import type { Projection } from '../wire/projection.ts';

/**
 * One kind of thing that an app has put on objects, and how to take it back.
 *
 *     const finalizer: UninstallStep<PersistentVolumeClaim> = {
 *       what: 'finalizer kubernetes.io/pvc-protection',
 *       resource: persistentVolumeClaims,
 *       projection: slimClaim,
 *       takeBack: (claim) => removeFinalizer(claim, finalizers.pvcProtection),
 *     };
 */
export interface UninstallStep<T extends KubernetesObject> {
  /** What is taken back, for the log. */
  readonly what: string;
  readonly resource: ApiResource<T>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The fields that `takeBack` reads. Default: whole objects. */
  readonly projection?: Projection<T>;
  /** The subresource to patch, for example `status`. Default: the object itself. */
  readonly subresource?: string;
  /**
   * Returns the patch that removes the app's part from the object, or undefined if the object has none. Must
   * be pure. The operations must `test` what they remove or replace; a test of the UID is added. After the
   * patch the object is looked at again, and the result must then be undefined.
   *
   * If the decision needs more than the object, return a promise. If it rejects, it is retried, unless the
   * API server refused for good.
   *
   * @throws MustStay if what is on the object cannot be taken back for now. It counts as refused, and holds
   *   up no other object.
   */
  takeBack(object: T, options: StepOptions): JsonPatch | undefined | Promise<GroundedPatch | undefined>;
  /**
   * Asked once, before the first look, with the lease held. It returns false if another program keeps what is
   * on the objects; the app itself logs why. Then the step is done, and nothing counts as left. Default:
   * true.
   *
   * @throws what the client throws: then nothing is taken back.
   */
  isOurs?(options: StepOptions): Promise<boolean>;
  /**
   * Returns what an administrator should know about an object from which something was taken, given its state
   * before; it is logged with the object's name. Undefined: nothing. Must be pure. Default: nothing for any
   * object.
   */
  notice?(object: T): string | undefined;
}

/**
 * A patch and the live look that it is based on; it is not sent if the look has grown too old, see
 * {@link Look}.
 */
export interface GroundedPatch {
  readonly operations: JsonPatch;
  readonly look: Look;
}

/** What the app has put on an object must stay there for now; the message says why, and what to do. */
export class MustStay extends Error {
  override readonly name = 'MustStay';
}

/** The counts of a step so far. */
export interface Tally {
  /** Objects that were read, counted in each look. */
  seen: number;
  /** Objects from which something was taken; in a dry run, from which it would be. */
  takenBack: number;
  /** Writes that came too late, since the object had changed; it was looked at again. */
  outdated: number;
  /**
   * Objects on which something might stay for good, because the patch was refused or the object could not be
   * read; refused lists count too.
   */
  refused: number;
}

/** What a step of an uninstall works with. */
export interface StepOptions {
  readonly client: ApiClient;
  /** Empty: all namespaces. All objects of cluster-scoped kinds are looked at. */
  readonly namespaces: readonly string[];
  /** How many patches are under way at once. */
  readonly concurrency: number;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the step at once; what was taken back stays so. */
  readonly signal: AbortSignal;
}
