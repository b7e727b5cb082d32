import { accessForbidden } from '../auth/access-request.ts';
import { paramAccessErrors } from '../auth/param-access.ts';
import { checkEscalation } from '../auth/escalation.ts';
import { differOnlyInTimes, trackConvertedUpdate, trackUpdate } from '../managed-fields/field-manager.ts';
import { append } from '../meta/append.ts';
import { type FieldError, invalid, invalidObject } from '../meta/field-error.ts';
import { cloneJson, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { pathSegment } from '../meta/names.ts';
import {
  keepSystemMetadata,
  validateFinalizersQualified,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../meta/object-meta.ts';
import { conflict, internalError, modifiedMessage, notFound } from '../meta/status-error.ts';
import { convertedEntry } from '../resources/converted-entries.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { dropGatedFields } from '../resources/gated-fields.ts';
import {
  type ResourceDefinition,
  type StatusStrategy,
  groupKind,
  groupResource,
  keyspaceOf,
  takesAnyFinalizer,
} from '../resources/resource-definition.ts';
import { type WriteOptions, createObject } from './create-object.ts';
import { dedupeOwnerReferences } from './owner-references.ts';
import { ensureNamespace } from './path-identity.ts';
import type { ServerState } from './server-state.ts';
import { readBackConverted, servedObject, storedObject, storedUndefaulted } from './stored-form.ts';
import { checkIdentity } from './storage-precondition.ts';

export interface UpdateOptions extends WriteOptions {
  readonly name: string;
  /** Empty for the object itself; otherwise 'status', or the name of an action that writes the object. */
  readonly subresource: string;
  /**
   * For PUT: the uid of the body is a precondition, and an object that does not exist is created if the kind
   * allows that.
   */
  readonly isReplace: boolean;
  /** Whether everything that the subresource shows was sent. Default: `isReplace`. */
  readonly writesWhole?: boolean;
  /** Replaces the strategies of the kind, for actions that write fields which clients may not write. */
  readonly prepare?: (object: KubeObject, old: KubeObject) => void;
  /**
   * For actions whose change the kind forbids to clients: skips the kind's validation, and keeps the
   * generation.
   */
  readonly isSystemWrite?: boolean;
  /** Whether the action has already passed admission, with an object of another kind. */
  readonly isAdmitted?: boolean;
  /** Whether to create the object if it does not exist, as server-side apply does for every kind. */
  readonly mayCreate?: boolean;
}

export interface Updated {
  readonly object: KubeObject;
  readonly isCreated: boolean;
}

/**
 * Replaces an object by the one that `make` returns for the present one. Calls `make` again if the object
 * changed in the meantime, unless the result names a resourceVersion. If the result equals what is stored,
 * nothing is written.
 */
export async function updateObject(
  server: ServerState,
  definition: ResourceDefinition,
  options: UpdateOptions,
  make: (existing: KubeObject | undefined) => KubeObject | Promise<KubeObject>,
): Promise<Updated> {
  const { storage } = server;
  const { namespace, name, subresource, isDryRun, user, isReplace, isAdmitted = false, warn } = options;
  const { writesWhole = isReplace } = options;
  const keyspace = keyspaceOf(definition);
  const storageNamespace = definition.namespaced ? namespace : '';
  for (;;) {
    const entry = storage.get(keyspace, storageNamespace, name);
    if (entry === undefined) {
      const mayCreate = options.mayCreate ?? (isReplace && definition.allowCreateOnUpdate === true);
      if (mayCreate && subresource === '') {
        const created = await make(undefined);
        if (isReplace) {
          checkIdentity(definition, created.metadata.uid, undefined, options);
        }
        checkVersionForm(created);
        checkMayCreate(server, definition, options);
        // If the object does not exist, it is created even if the write names a version.
        if (!isDryRun) {
          delete created.metadata.resourceVersion;
        }
        return { object: await createObject(server, definition, created, options), isCreated: true };
      }
      throw notFound(groupResource(definition), name);
    }
    const { askedConversion } = definition;
    const old =
      askedConversion === undefined
        ? servedObject(definition, entry.object)
        : (await convertedEntry(definition, entry)).object;
    const made = make(old);
    const object = made instanceof Promise ? await made : made;
    definition.applyDefaults?.(object, options.keepsNulls);
    ensureNamespace(definition, object, namespace);
    checkPreconditions(definition, object, old, options);

    const admission = {
      operation: 'UPDATE',
      definition,
      subresource,
      namespace,
      name,
      object,
      oldObject: old,
      isDryRun,
      user,
      options: options.sentOptions ?? {},
      warn,
      storage,
    } as const;
    if (isReplace) {
      dedupeOwnerReferences(object, warn, false);
    }
    if (options.manager !== undefined) {
      const writer = { name: options.manager, subresource, now: server.now(), isReplace: writesWhole };
      if (askedConversion === undefined) {
        trackUpdate(definition, old, object, writer);
      } else {
        await trackConvertedUpdate(definition, old, object, writer);
      }
    }
    if (!isAdmitted) {
      await server.admission.mutate(admission);
      ensureNamespace(definition, object, namespace);
    }
    dedupeOwnerReferences(object, warn, true);
    checkEscalation(server.authorizer, { definition, object, old, namespace, name, user });
    prepareAndValidate(server, definition, object, old, options);
    if (!isAdmitted) {
      await server.admission.validate(admission);
    }

    if (askedConversion === undefined && storage.get(keyspace, storageNamespace, name) !== entry) {
      continue;
    }
    const kept = canonicalObject(definition, object);
    const ordered = subresource === '' ? kept : readBack(definition, kept);
    const lacksDefaults = !jsonEqual(ordered, kept);
    const converted = askedConversion === undefined ? undefined : await askedConversion.toStored(ordered);
    if (converted !== undefined && storage.get(keyspace, storageNamespace, name) !== entry) {
      continue;
    }
    // A terminating namespace that nothing holds is removed by the next write, even by one that changes
    // nothing.
    if (isReleased(definition, ordered, old)) {
      // The DELETED event shows the state before this write, as the real server's does.
      if (!isDryRun) {
        storage.remove(keyspace, storageNamespace, name);
      }
      return { object: ordered, isCreated: false };
    }
    definition.hide?.(ordered);
    const hasSameContent = isSame(ordered, old);
    const isUnchanged =
      converted === undefined
        ? hasSameContent && isOfStorageVersion(definition, entry.object, ordered)
        : isSame(converted, entry.object);
    if (isUnchanged && (isDryRun || storedUndefaulted.has(entry.object) === lacksDefaults)) {
      return { object: old, isCreated: false };
    }
    // A write that changes nothing keeps the managers' timestamps.
    if (hasSameContent && old.metadata.managedFields !== undefined) {
      ordered.metadata.managedFields = old.metadata.managedFields;
    }
    if (converted !== undefined) {
      const { managedFields } = ordered.metadata;
      const stored =
        managedFields === undefined
          ? converted
          : { ...converted, metadata: { ...converted.metadata, managedFields } };
      const answer = isDryRun
        ? await readBackConverted(definition, stored)
        : (await convertedEntry(definition, storage.put(keyspace, stored))).object;
      return { object: answer, isCreated: false };
    }
    if (isDryRun) {
      return { object: servedObject(definition, storedObject(definition, ordered)), isCreated: false };
    }
    const written = storage.put(keyspace, storedObject(definition, ordered));
    if (lacksDefaults) {
      storedUndefaulted.add(written.object);
    }
    return { object: servedObject(definition, written.object), isCreated: false };
  }
}

function isSame(object: KubeObject, old: KubeObject): boolean {
  return jsonEqual(object, old) || differOnlyInTimes(object, old);
}

/**
 * Whether the object is stored in the present storage version. If not, a write that changes nothing else
 * updates the version.
 */
function isOfStorageVersion(
  definition: ResourceDefinition,
  stored: KubeObject,
  ordered: KubeObject,
): boolean {
  // Only custom kinds can have several storage versions.
  return (
    definition.struct !== undefined ||
    definition.conversion === undefined ||
    storedObject(definition, ordered).apiVersion === stored.apiVersion
  );
}

/**
 * What is read from storage gets defaults again: a write to a subresource does not send everything that the
 * strategy has kept, and the kept part might need defaults.
 */
function readBack(definition: ResourceDefinition, kept: KubeObject): KubeObject {
  const object = cloneJson(kept);
  definition.applyDefaults?.(object);
  return object;
}

function checkPreconditions(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
  options: UpdateOptions,
): void {
  const { metadata } = object;
  const { name = '' } = old.metadata;
  const resource = groupResource(definition);
  const { resourceVersion } = metadata;
  if (options.isReplace) {
    checkIdentity(definition, metadata.uid, old, options);
  }
  checkVersionForm(object);
  if (resourceVersion === undefined || resourceVersion === '0') {
    if (definition.allowUnconditionalUpdate === false) {
      throw invalidObject(resource, name, [
        invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  } else if (resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(resource, name, modifiedMessage);
  }
  metadata.uid ??= old.metadata.uid ?? '';
}

function checkVersionForm({ metadata: { resourceVersion = '' } }: KubeObject): void {
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw internalError(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
  }
}

function prepareAndValidate(
  server: ServerState,
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
  options: UpdateOptions,
): void {
  const context = { now: server.now(), storage: server.storage, isDryRun: options.isDryRun };
  const sent = object.metadata;
  if (old.metadata.generation === undefined) {
    delete sent.generation;
  } else {
    sent.generation = old.metadata.generation;
  }
  delete sent['selfLink'];
  const part = partOf(definition, options.subresource);
  if (options.prepare !== undefined) {
    options.prepare(object, old);
  } else if (part !== undefined) {
    part.prepareForUpdate?.(object, old, context);
  } else {
    if (definition.struct !== undefined) {
      dropGatedFields(object, definition.struct);
    }
    definition.prepareForUpdate?.(object, old, context);
  }
  // Read only now, because a strategy may replace the metadata.
  const { metadata } = object;
  if (
    definition.hasGeneration === true &&
    definition.keepsGeneration !== true &&
    options.subresource !== 'status' &&
    options.isSystemWrite !== true &&
    isSpecChanged(definition, object, old)
  ) {
    metadata.generation = (old.metadata.generation ?? 0) + 1;
  }

  keepSystemMetadata(object, old);
  const update = validateObjectMetaUpdate(object, old);
  // The real server validates metadata once for all kinds and again in the kind's strategy, so causes are
  // listed twice.
  const errors: FieldError[] = [
    ...validateObjectMeta(metadata, definition.namespaced, pathSegment),
    ...update,
    ...update,
    ...(takesAnyFinalizer(definition) ? [] : validateFinalizersQualified(metadata)),
  ];
  if (options.isSystemWrite !== true) {
    const own =
      part === undefined
        ? (definition.validateUpdate ?? definition.validate)?.(object, old)
        : part.validateUpdate?.(object, old);
    append(errors, own ?? []);
    if (errors.length === 0) {
      append(errors, paramAccessErrors(server, definition, object, old, options.user));
    }
  }
  if (errors.length > 0) {
    throw invalidObject(groupKind(definition), metadata.name ?? '', errors);
  }
  for (const text of warningsOf(definition, object, old, options)) {
    options.warn(text);
  }
}

function partOf(definition: ResourceDefinition, subresource: string): StatusStrategy | undefined {
  return subresource === 'status' ? definition.status : definition.parts?.[subresource];
}

function warningsOf(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
  { subresource, isSystemWrite = false }: UpdateOptions,
): readonly string[] {
  // A status that an action writes gives the same warnings as one that a client writes.
  const part = partOf(definition, subresource);
  if (part !== undefined) {
    return part.warnings?.(object) ?? [];
  }
  return isSystemWrite ? [] : (definition.warnings?.(object, old) ?? []);
}

function isSpecChanged(definition: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  // Without a subresource, status is a field like any other.
  const apart = definition.status === undefined ? ['metadata'] : ['metadata', 'status'];
  return (
    !jsonEqual(withoutFields(object, apart), withoutFields(old, apart)) ||
    (definition.countsAnnotations === true &&
      !jsonEqual(object.metadata.annotations, old.metadata.annotations)) ||
    (definition.countsLabels === true && !jsonEqual(object.metadata.labels, old.metadata.labels))
  );
}

/** Whether the write removes the last thing that kept a terminating object. */
function isReleased(definition: ResourceDefinition, object: KubeObject, old: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) {
    return false;
  }
  if (old.metadata.deletionTimestamp === undefined) {
    return false;
  }
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) > 0) {
    return false;
  }
  return definition.isHeld?.(object) !== true;
}

/**
 * Permission to patch or update an object does not include permission to create it. Here the name counts,
 * unlike in other creations.
 */
function checkMayCreate(
  server: ServerState,
  definition: ResourceDefinition,
  { user, namespace, name }: UpdateOptions,
): void {
  const { group, plural: resource } = definition;
  const access = {
    kind: 'resource',
    verb: 'create',
    group,
    resource,
    subresource: '',
    namespace,
    name,
  } as const;
  const { isAllowed, reason } = server.authorizer.authorize(user, access);
  if (!isAllowed) {
    throw accessForbidden(user, access, reason);
  }
}
