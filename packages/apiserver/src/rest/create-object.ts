import { randomUUID } from 'node:crypto';
import { checkEscalation } from '../auth/escalation.ts';
import { paramAccessErrors } from '../auth/param-access.ts';
import type { UserInfo } from '../auth/user-info.ts';
import { trackUpdate } from '../managed-fields/field-manager.ts';
import { append } from '../meta/append.ts';
import { invalidObject } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { validateFinalizersQualified, validateObjectMeta } from '../meta/object-meta.ts';
import { alreadyExists, forbidden, generatedNameExists, internalError } from '../meta/status-error.ts';
import { convertedEntry } from '../resources/converted-entries.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { dropGatedFields } from '../resources/gated-fields.ts';
import {
  type ResourceDefinition,
  groupKind,
  groupResource,
  keyspaceOf,
  takesAnyFinalizer,
} from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import { generatedName } from './generated-name.ts';
import { dedupeOwnerReferences } from './owner-references.ts';
import { ensureNamespace } from './path-identity.ts';
import type { ServerState } from './server-state.ts';
import { readBackConverted, servedObject, storedObject, storedUndefaulted } from './stored-form.ts';

export interface WriteOptions {
  readonly namespace: string;
  readonly isDryRun: boolean;
  readonly user: UserInfo;
  /** The field manager that owns the fields; undefined to record no owner. */
  readonly manager?: string;
  /** The options of the query, as admission webhooks are shown them. Default none. */
  readonly sentOptions?: JsonObject;
  /** Takes the texts of Warning headers. */
  readonly warn: (text: string) => void;
  /**
   * Whether disallowed nulls stay in the object, so that validation refuses them, as it does for a
   * server-side apply of a custom kind. Default: they are removed.
   */
  readonly keepsNulls?: boolean;
}

/**
 * Creates a decoded object: defaults, admission, validation, write. Returns it as stored, in the definition's
 * form.
 */
export async function createObject(
  server: ServerState,
  definition: ResourceDefinition,
  object: KubeObject,
  { namespace, isDryRun, user, manager, sentOptions = {}, warn, keepsNulls }: WriteOptions,
): Promise<KubeObject> {
  const { metadata } = object;
  const { storage } = server;
  // Only the server writes these fields. They are removed before field ownership is recorded.
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
  if (definition.isTerminating?.() === true) {
    const problem = 'create not allowed while custom resource definition is terminating';
    throw forbidden(groupResource(definition), metadata.name ?? '', problem);
  }
  ensureNamespace(definition, object, namespace);
  definition.applyDefaults?.(object, keepsNulls);
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = generatedName(
      metadata.generateName,
      (name) => storage.get(keyspaceOf(definition), metadata.namespace ?? '', name) !== undefined,
    );
  }
  const admission = {
    operation: 'CREATE',
    definition,
    subresource: '',
    namespace,
    name: metadata.name ?? '',
    object,
    oldObject: undefined,
    isDryRun,
    user,
    options: sentOptions,
    warn,
    storage,
  } as const;
  dedupeOwnerReferences(object, warn, false);
  if (manager !== undefined) {
    trackUpdate(definition, undefined, object, { name: manager, subresource: '', now: server.now() });
  }
  await server.admission.mutate(admission);
  ensureNamespace(definition, object, namespace);
  dedupeOwnerReferences(object, warn, true);
  checkEscalation(server.authorizer, { definition, object, old: undefined, namespace, name: '', user });

  const now = server.now();
  metadata.uid = randomUUID();
  if (definition.struct !== undefined) {
    dropGatedFields(object, definition.struct);
  }
  const { uid } = metadata;
  definition.prepareForCreate?.(object, { now, warn, requester: user, uid, storage, isDryRun });
  metadata.creationTimestamp = formatTime(now);
  if (definition.hasGeneration === true) {
    metadata.generation = 1;
  }
  const resourceVersion = metadata.resourceVersion;
  delete metadata.resourceVersion;

  const own = definition.validate?.(object) ?? [];
  const isJudgedWhole = definition.judgesMetadataLast !== true || own.length === 0;
  const errors = [
    ...(isJudgedWhole ? validateObjectMeta(metadata, definition.namespaced, definition.nameRule) : []),
    ...(takesAnyFinalizer(definition) ? [] : validateFinalizersQualified(metadata)),
    ...own,
  ];
  if (errors.length === 0) {
    append(errors, paramAccessErrors(server, definition, object, undefined, user));
  }
  if (errors.length > 0) {
    throw invalidObject(groupKind(definition), metadata.name ?? '', errors);
  }
  for (const text of definition.warnings?.(object, undefined) ?? []) {
    warn(text);
  }
  await server.admission.validate(admission);
  // Storage is what checks the version, and a dry run does not reach storage.
  if (isDryRun && resourceVersion !== undefined) {
    metadata.resourceVersion = resourceVersion;
  } else if (/^0*[1-9]\d*$/.test(resourceVersion ?? '')) {
    // A text that is not a version is ignored.
    throw internalError('resourceVersion should not be set on objects to be created');
  }

  const ordered = canonicalObject(definition, object);
  // What is read from storage gets defaults again, for fields that strategies removed.
  definition.applyDefaults?.(ordered);
  definition.hide?.(ordered);
  const { askedConversion } = definition;
  const converted = askedConversion === undefined ? undefined : await askedConversion.toStored(ordered);

  const existing = storage.get(keyspaceOf(definition), metadata.namespace ?? '', metadata.name ?? '');
  if (existing !== undefined) {
    const isTerminating = existing.object.metadata.deletionTimestamp !== undefined;
    const refusal = (metadata.generateName ?? '') === '' ? alreadyExists : generatedNameExists;
    throw refusal(groupResource(definition), metadata.name ?? '', isTerminating);
  }
  if (isDryRun) {
    return converted === undefined
      ? servedObject(definition, storedObject(definition, ordered))
      : readBackConverted(definition, converted);
  }
  if (converted !== undefined) {
    const entry = storage.put(keyspaceOf(definition), converted);
    return (await convertedEntry(definition, entry)).object;
  }
  const entry = storage.put(keyspaceOf(definition), storedObject(definition, ordered));
  if (definition.isStoredUndefaulted === true) {
    storedUndefaulted.add(entry.object);
  }
  return servedObject(definition, entry.object);
}
