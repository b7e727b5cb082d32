import { printIdentity } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../meta/kube-object.ts';
import { badRequest, internalError, StatusError } from '../meta/status-error.ts';
import { decodeAs, identityOf } from '../resources/decode-object.ts';
import {
  type ResourceDefinition,
  type StatusStrategy,
  apiVersionOf,
} from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import { applyConflict } from './apply-conflict.ts';
import { type FieldSet, difference, emptySet, setOf } from './field-set.ts';
import { syncLastApplied, withoutLastApplied } from './last-applied.ts';
import {
  type Manager,
  type Owner,
  type Owners,
  afterApply,
  type OtherComparisons,
  afterUpdate,
  compareInOthers,
  readOwners,
  writeOwners,
} from './managers.ts';
import { afterScale, afterScaleApplied, beforeScale, conflictInScale, withoutScale } from './scale-owners.ts';
import { typeProblems } from './typed-value.ts';
import { typeOfDefinition } from './value-type.ts';
import {
  type ConversionStep,
  type Converting,
  type Versions,
  withConversions,
  withoutConversions,
} from './versions.ts';

/* Maintains metadata.managedFields of objects, as k8s.io/apimachinery/pkg/util/managedfields does. */

export interface Writer {
  /** The fieldManager of the query, or the name that replaces it. */
  readonly name: string;
  /** Empty for a write of the object itself. */
  readonly subresource: string;
  /** The time in milliseconds. */
  readonly now: number;
  /** Whether the write sends the whole object, as PUT does. Default false. */
  readonly isReplace?: boolean;
}

/** The name of the manager that writes. Without a fieldManager, it is the start of the user agent. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') {
    return fieldManager;
  }
  return (userAgent.split('/', 1)[0] ?? '').slice(0, 128);
}

/** Fields that no manager owns, because they identify the object or belong to the server. */
const unowned = setOf([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
]);

const noStatus = setOf([['f:status']]);
const noSpecNorStatus = setOf([['f:spec'], ['f:status']]);

const keptByStatus = new WeakMap<StatusStrategy, FieldSet>();

function fieldsKeptByStatus(status: StatusStrategy): FieldSet {
  let kept = keptByStatus.get(status);
  if (kept === undefined) {
    const { keptMetadata = [], unownedStatus = [] } = status;
    const metadata =
      keptMetadata === 'all' ? [['f:metadata']] : keptMetadata.map((field) => ['f:metadata', `f:${field}`]);
    keptByStatus.set(
      status,
      (kept = setOf([['f:spec'], ...metadata, ...unownedStatus.map((field) => ['f:status', `f:${field}`])])),
    );
  }
  return kept;
}

/** The branches that a write of the resource, or of its subresource, cannot change. */
function ignoredFields(
  { status, parts = {}, actions = [], ownsNoSpec = false }: ResourceDefinition,
  subresource: string,
): FieldSet {
  const part = parts[subresource];
  if (part?.unownedStatus !== undefined) {
    return fieldsKeptByStatus(part);
  }
  if (status === undefined) {
    return emptySet;
  }
  if (actions.some(({ name, keepsStatus }) => name === subresource && keepsStatus === true)) {
    return noStatus;
  }
  if (subresource === 'status') {
    return fieldsKeptByStatus(status);
  }
  if (subresource !== '') {
    return emptySet;
  }
  return ownsNoSpec ? noSpecNorStatus : noStatus;
}

/**
 * Sets the managedFields of an object that is about to be stored. `live` is undefined for a new object. If
 * the client sent valid managedFields, they replace the live ones, so that a client can change them, and
 * reset them with a list that holds one empty entry.
 */
export function trackUpdate(
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  object: KubeObject,
  writer: Writer,
  others?: OtherComparisons,
): void {
  const { metadata } = object;
  const owners = ownersBefore(live, object, writer.subresource !== '');
  delete metadata.managedFields;
  // Once an existing object has no recorded owners, it stays that way, because a client may have reset them.
  if (live !== undefined && owners.size === 0) {
    return;
  }
  const apiVersion = apiVersionOf(definition);
  const manager: Manager = {
    manager: writer.name,
    operation: 'Update',
    apiVersion,
    subresource: writer.subresource,
  };
  if (writer.subresource === 'scale') {
    const path = definition.scale?.specReplicas ?? [];
    if (definition.struct === undefined && writer.isReplace === true) {
      setManagedFields(object, withoutScale(owners, path));
      return;
    }
    const change = { before: live ?? object, after: object };
    setManagedFields(object, afterScale(owners, manager, change, typeOfDefinition(definition), path));
    return;
  }
  // A write of a subresource takes no notice of the rest of what it sends, which may have any types.
  if (live !== undefined && !(fitsType(definition, live) && fitsType(definition, object))) {
    return;
  }
  const after = afterUpdate(
    owners,
    manager,
    formatTime(writer.now),
    {
      before: withoutManagedFields(live ?? blank(definition)),
      after: object,
      type: typeOfDefinition(definition),
      ignored: ignoredFields(definition, writer.subresource),
    },
    others,
  );
  setManagedFields(object, after);
}

/**
 * Whether ownership can be computed. Objects of built-in kinds always fit their types, since they were decoded by them.
 * For one of a custom kind that does not, all ownership is lost, as on the real server.
 */
function fitsType(definition: ResourceDefinition, object: KubeObject): boolean {
  return (
    definition.struct !== undefined ||
    typeProblems(object, typeOfDefinition(definition), 'allowed').length === 0
  );
}

/**
 * Like `trackUpdate`, for a kind that a webhook converts. Each owner loses the fields that changed in the
 * version in which it wrote them. If the webhook fails, all ownership is lost, as on the real server.
 */
export async function trackConvertedUpdate(
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  object: KubeObject,
  writer: Writer,
): Promise<void> {
  if (live === undefined || writer.subresource === 'scale') {
    trackUpdate(definition, live, object, writer);
    return;
  }
  const owners = ownersBefore(live, object, writer.subresource !== '');
  const before = withoutManagedFields(live);
  const after = withoutManagedFields(object);
  const versions = versionsOf(definition, writer.subresource);
  try {
    const comparing = compareInOthers(owners, before, after, versions);
    const others = await withConversions(comparing, (step) => convertedBy(definition, step));
    trackUpdate(definition, live, object, writer, others);
  } catch (error) {
    if (!(error instanceof StatusError)) {
      throw error;
    }
    delete object.metadata.managedFields;
  }
}

/** The types of the versions in which owners may have written. */
function versionsOf(definition: ResourceDefinition, subresource: string): Versions {
  const apiVersion = apiVersionOf(definition);
  const own = { type: typeOfDefinition(definition), ignored: ignoredFields(definition, subresource) };
  const { askedConversion } = definition;
  return {
    ...own,
    apiVersion,
    other(wanted) {
      if (askedConversion === undefined || wanted === apiVersion || subresource === 'scale') {
        return undefined;
      }
      const other = askedConversion.definitionOf(wanted);
      return other === undefined
        ? own
        : { type: typeOfDefinition(other), ignored: ignoredFields(other, subresource) };
    },
  };
}

/**
 * Converts a value by the webhook. Throws 500 if the webhook fails, or if the value does not fit the schema
 * of its version.
 */
async function convertedBy(
  { askedConversion }: ResourceDefinition,
  { value, apiVersion }: ConversionStep,
): Promise<Json> {
  const converted = (await askedConversion?.inVersion(value as KubeObject, apiVersion)) ?? value;
  const definition = askedConversion?.definitionOf(apiVersion);
  const problems = definition === undefined ? [] : typeProblems(converted, typeOfDefinition(definition));
  if (problems.length > 0) {
    throw internalError(problems.length === 1 ? (problems[0] ?? '') : `errors:\n  ${problems.join('\n  ')}`);
  }
  return converted;
}

function ownersBefore(live: KubeObject | undefined, object: KubeObject, isSubresource: boolean): Owners {
  const ofLive = (): Owners => readOwners(live?.metadata.managedFields ?? []) ?? new Map<string, Owner>();
  if (isSubresource) {
    return ofLive();
  }
  const given = object.metadata.managedFields;
  if (given === undefined) {
    return ofLive();
  }
  if (given.length === 1 && Object.keys(given[0] ?? {}).length === 0) {
    return new Map();
  }
  const owners = readOwners(given);
  return owners === undefined || owners.size === 0 ? ofLive() : owners;
}

const blanks = new WeakMap<ResourceDefinition, KubeObject>();

/** An empty object of the kind. */
function blank(definition: ResourceDefinition): KubeObject {
  let object = blanks.get(definition);
  if (object === undefined) {
    object = decodeAs({}, identityOf(definition)).object;
    blanks.set(definition, object);
  }
  return object;
}

function withoutManagedFields(object: KubeObject): KubeObject {
  return { ...object, metadata: withoutFields(object.metadata, ['managedFields']) };
}

function setManagedFields({ metadata }: KubeObject, owners: Owners): void {
  const owned = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const fields = difference(owner.fields, unowned);
    if (fields.children.size > 0) {
      owned.set(id, { ...owner, fields });
    }
  }
  if (owned.size === 0) {
    delete metadata.managedFields;
  } else {
    metadata.managedFields = writeOwners(owned);
  }
}

/** Whether two objects differ only in the times of their managedFields. Such a write is not stored. */
export function differOnlyInTimes(a: KubeObject, b: KubeObject): boolean {
  const left = a.metadata.managedFields;
  const right = b.metadata.managedFields;
  if (left === undefined || left.length !== right?.length) {
    return false;
  }
  const withoutTime = (entry: ManagedFieldsEntry | undefined): JsonObject =>
    withoutFields(entry ?? {}, ['time']);
  return (
    jsonEqual(withoutManagedFields(a), withoutManagedFields(b)) &&
    left.every((entry, index) => jsonEqual(withoutTime(entry), withoutTime(right[index])))
  );
}

/**
 * Server-side apply. Merges a configuration into the live object (undefined: there is none). Returns the
 * result with its managedFields, as JSON that is yet to be decoded.
 *
 * @throws 400 for a configuration of another type, 409 that names the owners of conflicting fields, and 500
 *   for a configuration that does not fit the schema, as the real server does
 */
export function applyConfiguration(...given: Parameters<typeof applying>): JsonObject {
  return withoutConversions(applying(...given));
}

/**
 * Like `applyConfiguration`, for a kind that a webhook converts. Also rejects with 500 if the webhook fails.
 */
export function applyConverted(...given: Parameters<typeof applying>): Promise<JsonObject> {
  const [definition] = given;
  return withConversions(applying(...given), (step) => convertedBy(definition, step));
}

function* applying(
  definition: ResourceDefinition,
  live: KubeObject | undefined,
  config: JsonObject,
  writer: Writer,
  force: boolean,
): Converting<JsonObject> {
  checkConfiguration(definition, config);
  const type = typeOfDefinition(definition);
  const time = formatTime(writer.now);
  const apiVersion = apiVersionOf(definition);
  const base = live ?? blank(definition);
  const isScale = writer.subresource === 'scale';
  const path = definition.scale?.specReplicas ?? [];
  const before = readOwners(base.metadata.managedFields ?? []) ?? new Map<string, Owner>();
  let owners = before;
  const bare = withoutManagedFields(base);
  const ignored = ignoredFields(definition, writer.subresource);
  const manager = {
    manager: 'before-first-apply',
    operation: 'Update',
    apiVersion,
    subresource: writer.subresource,
  } as const;
  if (isScale) {
    owners = beforeScale(owners, manager, base, path);
  } else if (owners.size === 0 && live !== undefined) {
    const change = { before: blank(definition), after: bare, type, ignored };
    owners = stripped(afterUpdate(owners, manager, time, change));
  }
  const applier: Manager = {
    manager: writer.name,
    operation: 'Apply',
    apiVersion,
    subresource: writer.subresource,
  };
  const versions = versionsOf(definition, writer.subresource);
  const applied = yield* afterApply(owners, applier, isScale ? undefined : time, bare, config, versions);
  if (applied.conflicts.length > 0 && !force) {
    const conflicts =
      writer.name === 'kubectl' ? withoutLastApplied(applied.conflicts, bare, definition) : applied.conflicts;
    if (conflicts.length > 0) {
      throw applyConflict(isScale ? conflicts.map(conflictInScale) : conflicts);
    }
  }
  const value: JsonObject = isObject(applied.value) ? applied.value : bare;
  const metadata = isObject(value['metadata']) ? { ...value['metadata'] } : {};
  const result = { ...value, metadata } as KubeObject;
  setManagedFields(
    result,
    isScale ? afterScaleApplied(before, applied.owners, applier, path) : applied.owners,
  );
  if (writer.name === 'kubectl') {
    syncLastApplied(result, config);
  }
  return result;
}

function stripped(owners: Owners): Owners {
  return new Map(
    [...owners].map(([id, owner]) => [id, { ...owner, fields: difference(owner.fields, unowned) }]),
  );
}

function checkConfiguration(definition: ResourceDefinition, config: JsonObject): void {
  const { metadata } = config;
  const meta = isObject(metadata) ? metadata : {};
  if (meta['managedFields'] !== undefined && meta['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const problems = typeProblems(config, typeOfDefinition(definition));
  if (problems.length > 0) {
    const listed = problems.length === 1 ? (problems[0] ?? '') : `errors:\n  ${problems.join('\n  ')}`;
    throw internalError(`failed to create typed patch object (${printIdentity(config)}): ${listed}`);
  }
}
