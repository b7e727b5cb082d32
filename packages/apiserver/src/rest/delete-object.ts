import type { UserInfo } from '../auth/user-info.ts';
import { cloneJson } from '../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../meta/kube-object.ts';
import { checkOwnPreconditions, checkPreconditions } from '../meta/preconditions.ts';
import { forbidden, notFound } from '../meta/status-error.ts';
import { convertedEntry, freshlyConverted } from '../resources/converted-entries.ts';
import { canonicalObject, decodeAs, identityOf } from '../resources/decode-object.ts';
import {
  type ResourceDefinition,
  groupKind,
  groupResource,
  keyspaceOf,
} from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { ServerState } from './server-state.ts';
import { preconditionFailed } from './storage-precondition.ts';
import { servedObject, storedObject } from './stored-form.ts';

export interface Deleted {
  readonly object: KubeObject;
  /**
   * False if the object stays for now: because of finalizers, a grace period, or a deletion that is already
   * in progress.
   */
  readonly isGone: boolean;
  /**
   * Whether the answer must be the object even if the kind would answer otherwise. Default: what the kind
   * does.
   */
  readonly isShown?: boolean;
}

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/** Deletes an object or marks it terminating, as k8s.io/apiserver's generic registry does. */
export async function deleteObject(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
  options: DeleteOptions,
  user: UserInfo,
  warn: (text: string) => void,
): Promise<Deleted> {
  const { storage } = server;
  const keyspace = keyspaceOf(definition);
  const storageNamespace = definition.namespaced ? namespace : '';
  const admit = async (oldObject: KubeObject): Promise<void> => {
    if (options.isAdmitted === true) {
      return;
    }
    const request = {
      operation: 'DELETE',
      definition,
      subresource: '',
      namespace,
      name: options.isCollection === true ? '' : name,
      object: undefined,
      oldObject,
      isDryRun: options.isDryRun,
      user,
      options:
        definition.isDeletedByUid === true
          ? { preconditions: { uid: oldObject.metadata.uid }, ...options.sent }
          : options.sent,
      warn,
      storage,
    } as const;
    await server.admission.mutate(request);
    await server.admission.validate(request);
  };
  // The real server, too, skips this check when it deletes a collection.
  const refusal = options.isCollection === true ? undefined : definition.refuseDeletion?.(name);
  if (refusal !== undefined) {
    throw forbidden(groupResource(definition), name, refusal);
  }
  warnOfOrphans(definition, options, warn);
  for (;;) {
    const entry = storage.get(keyspace, storageNamespace, name);
    if (entry === undefined) {
      throw notFound(groupResource(definition), name);
    }
    const { askedConversion } = definition;
    const old =
      askedConversion === undefined
        ? servedObject(definition, entry.object)
        : ((await freshlyConverted(definition, [entry]))[0] ?? entry).object;
    if (definition.isDeletedByUid === true) {
      checkOwnPreconditions(groupResource(definition), old.metadata, options.preconditions);
    } else {
      checkPreconditions(groupKind(definition), old.metadata, options.preconditions);
    }
    await admit(old);
    if (storage.get(keyspace, storageNamespace, name) !== entry) {
      continue;
    }

    const decision = decideDeletion(definition, old, options, server.now());
    switch (decision.kind) {
      case 'already terminating':
        return { object: old, isGone: false };
      case 'terminating': {
        const ordered = canonicalObject(definition, decision.object);
        if (options.isDryRun) {
          return { object: ordered, isGone: false };
        }
        if (askedConversion !== undefined) {
          const stored = await askedConversion.toStored(ordered);
          if (storage.get(keyspace, storageNamespace, name) !== entry) {
            continue;
          }
          const marked = await convertedEntry(definition, storage.put(keyspace, stored));
          return { object: marked.object, isGone: false };
        }
        const written = storage.put(keyspace, storedObject(definition, ordered));
        return { object: servedObject(definition, written.object), isGone: false };
      }
      case 'gone': {
        if (options.isDryRun) {
          return dryRunAnswer(definition, old, decision.marked);
        }
        checkVersionOnceMore(definition, old, decision.marked, { ...options, namespace, name });
        // A pod that goes at once is first marked and then removed: watchers see both.
        if (decision.marked !== undefined) {
          const marked = storage.put(
            keyspace,
            storedObject(definition, canonicalObject(definition, decision.marked)),
          );
          await admit(servedObject(definition, marked.object));
        }
        const removed = storage.remove(keyspace, storageNamespace, name);
        return {
          object:
            removed === undefined || askedConversion !== undefined
              ? old
              : servedObject(definition, removed.object),
          isGone: true,
        };
      }
    }
  }
}

/**
 * If the propagation policy removes the last finalizers, the real server checks the preconditions against the
 * version of an object that it then did not write.
 *
 * @throws 409 if any version is a precondition
 */
function checkVersionOnceMore(
  definition: ResourceDefinition,
  { metadata }: KubeObject,
  marked: KubeObject | undefined,
  options: DeleteOptions & { readonly namespace: string; readonly name: string },
): void {
  const isReleased = marked === undefined && (metadata.finalizers ?? []).length > 0;
  if (isReleased && options.preconditions.resourceVersion !== undefined) {
    const { resourceVersion = '' } = metadata;
    throw preconditionFailed(definition, options, 'ResourceVersion', '', resourceVersion);
  }
}

/** Warns that dependents will be orphaned, whether or not there are any. */
export function warnOfOrphans(
  { orphansByDefault = '' }: ResourceDefinition,
  { propagationPolicy }: DeleteOptions,
  warn: (text: string) => void,
): void {
  if (propagationPolicy === undefined && orphansByDefault !== '') {
    warn(orphansByDefault);
  }
}

/**
 * A dry run answers with the object that the API server holds when it stops: the marked object, or an empty
 * one if the last finalizers would have gone together with the object. It stops before it asks whether the
 * kind shows deleted objects.
 */
function dryRunAnswer(
  definition: ResourceDefinition,
  old: KubeObject,
  marked: KubeObject | undefined,
): Deleted {
  if (marked !== undefined) {
    return { object: canonicalObject(definition, marked), isGone: true, isShown: true };
  }
  if (old.metadata.finalizers === undefined) {
    return { object: old, isGone: true };
  }
  const empty = decodeAs({ ...definition.emptyFields }, identityOf(definition)).object;
  return { object: canonicalObject(definition, empty), isGone: true, isShown: true };
}

type Deletion =
  | { readonly kind: 'already terminating' }
  | { readonly kind: 'terminating'; readonly object: KubeObject }
  | { readonly kind: 'gone'; readonly marked: KubeObject | undefined };

function decideDeletion(
  definition: ResourceDefinition,
  old: KubeObject,
  options: DeleteOptions,
  now: number,
): Deletion {
  const before = old.metadata;
  const finalizers = finalizersAfter(definition, before, options);
  if (before.deletionTimestamp === undefined && definition.markTerminating !== undefined) {
    const kept = definition.ignoresFirstPolicy === true ? (before.finalizers ?? []) : finalizers;
    const marked = withMetadata(old, { ...before, finalizers: kept, deletionTimestamp: formatTime(now) });
    const object = cloneJson(marked);
    definition.markTerminating(object, { now });
    // Another request removes it, even if nothing holds it.
    return { kind: 'terminating', object };
  }
  if (definition.isHeld?.(old) === true) {
    return { kind: 'already terminating' };
  }

  const isGraceful = definition.gracePeriodSeconds !== undefined;

  if (
    isGraceful &&
    before.deletionTimestamp !== undefined &&
    before.deletionGracePeriodSeconds !== undefined &&
    before.deletionGracePeriodSeconds > 0
  ) {
    // Only a period shorter than the current one changes anything.
    const requested = options.gracePeriodSeconds;
    if (requested === undefined || requested >= before.deletionGracePeriodSeconds) {
      return { kind: 'already terminating' };
    }
    const started = Date.parse(before.deletionTimestamp) - before.deletionGracePeriodSeconds * 1000;
    const end = started + requested * 1000;
    // A period that would already be over is shortened to the shortest graceful one, which ends now.
    const period = end < now ? Math.min(requested, 1) : requested;
    const object = withMetadata(old, {
      ...before,
      deletionTimestamp: formatTime(Math.max(end, now)),
      deletionGracePeriodSeconds: period,
      finalizers,
    });
    return period > 0 || finalizers.length > 0
      ? { kind: 'terminating', object }
      : { kind: 'gone', marked: object };
  }

  if (isGraceful && before.deletionTimestamp === undefined) {
    const period = definition.gracePeriodSeconds?.(old, options.gracePeriodSeconds) ?? 0;
    const object = withMetadata(old, {
      ...raisedGeneration(before),
      deletionTimestamp: formatTime(now + period * 1000),
      deletionGracePeriodSeconds: period,
      finalizers,
    });
    return period > 0 || finalizers.length > 0
      ? { kind: 'terminating', object }
      : { kind: 'gone', marked: object };
  }

  if (finalizers.length > 0) {
    if (before.deletionTimestamp !== undefined && sameSet(before.finalizers ?? [], finalizers)) {
      if (before.deletionGracePeriodSeconds === 0) {
        return { kind: 'already terminating' };
      }
      return { kind: 'terminating', object: withMetadata(old, { ...before, deletionGracePeriodSeconds: 0 }) };
    }
    const meta = before.deletionTimestamp === undefined ? raisedGeneration(before) : before;
    return {
      kind: 'terminating',
      object: withMetadata(old, {
        ...meta,
        deletionTimestamp: before.deletionTimestamp ?? formatTime(now),
        deletionGracePeriodSeconds: 0,
        finalizers,
      }),
    };
  }
  return { kind: 'gone', marked: undefined };
}

/**
 * Adds and removes the finalizers that carry out the propagation policy; the garbage collector acts on them.
 */
function finalizersAfter(definition: ResourceDefinition, meta: ObjectMeta, options: DeleteOptions): string[] {
  const present = meta.finalizers ?? [];
  const others = present.filter(
    (finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer,
  );
  if (definition.neverOwns === true) {
    return others;
  }
  const policy =
    options.propagationPolicy ??
    policyIn(present) ??
    (definition.orphansByDefault === undefined ? undefined : 'Orphan');
  const wanted =
    policy === 'Orphan' ? orphanFinalizer : policy === 'Foreground' ? foregroundFinalizer : undefined;
  const next = wanted === undefined ? others : [...others, wanted];
  return sameSet(present, next) ? [...present] : next;
}

/** The policy of an earlier deletion, or of a client that added the policy's finalizer. */
function policyIn(finalizers: readonly string[]): 'Orphan' | 'Foreground' | undefined {
  const first = finalizers.find(
    (finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer,
  );
  return first === undefined ? undefined : first === orphanFinalizer ? 'Orphan' : 'Foreground';
}

function withMetadata(object: KubeObject, metadata: ObjectMeta): KubeObject {
  const meta = { ...metadata };
  if (meta.finalizers?.length === 0) {
    delete meta.finalizers;
  }
  return { ...object, metadata: meta };
}

function raisedGeneration(meta: ObjectMeta): ObjectMeta {
  return meta.generation === undefined || meta.generation === 0
    ? meta
    : { ...meta, generation: meta.generation + 1 };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  // An object may have tens of thousands of finalizers: a search for each of them would hold up all requests.
  const [inA, inB] = [new Set(a), new Set(b)];
  return a.every((item) => inB.has(item)) && b.every((item) => inA.has(item));
}
