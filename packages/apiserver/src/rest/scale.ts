import { applyConfiguration } from '../managed-fields/field-manager.ts';
import { readOwners } from '../managed-fields/managers.ts';
import { areReplicasOwned } from '../managed-fields/scale-owners.ts';
import { invalid, invalidObject } from '../meta/field-error.ts';
import { printIdentity } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject, withoutFields } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { checkOwnPreconditions } from '../meta/preconditions.ts';
import {
  badRequest,
  conflict,
  internalError,
  internalErrorOccurred,
  modifiedMessage,
  notFound,
} from '../meta/status-error.ts';
import { identityOf } from '../resources/decode-object.ts';
import { type ResourceDefinition, groupResource } from '../resources/resource-definition.ts';
import { ageColumn, column, nameColumn, since } from '../resources/table-columns.ts';
import { formatSelector } from '../selectors/label-selector.ts';
import { admitAction } from './admit-action.ts';
import { decodeApplied } from './apply-configuration.ts';
import type { WriteOptions } from './create-object.ts';
import type { ServerState } from './server-state.ts';
import { checkIdentity } from './storage-precondition.ts';
import { updateObject } from './update-object.ts';

/* The subresource scale: the replicas of an object as an autoscaling/v1 Scale. */

const scaleAction = { name: 'scale', operation: 'UPDATE' } as const;

export const scaleIdentity = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  struct: 'autoscaling.v1.Scale',
} as const;

const scaleAge = { ...ageColumn, type: 'date' };

const scales: ResourceDefinition = {
  group: 'autoscaling',
  version: 'v1',
  kind: scaleIdentity.kind,
  plural: 'scales',
  singular: 'scale',
  namespaced: true,
  struct: scaleIdentity.struct,
  nameRule: () => [],
  columns: [
    { ...nameColumn, format: '' },
    column('Desired', 'How many there should be', 0, 'integer'),
    column('Available', 'How many there are', 0, 'integer'),
    ageColumn,
  ],
  cells: (scale, { now }) => [
    scale.metadata.name ?? '',
    replicasOf(scale),
    valueAt(scale, ['status', 'replicas']) ?? 0,
    since(scale.metadata.creationTimestamp, now),
  ],
};
const [, ...scaleColumns] = scales.columns;
const customScales: ResourceDefinition = {
  ...scales,
  // The version's own type, which is not of the server's.
  group: 'v1',
  columns: [nameColumn, ...scaleColumns.slice(0, -1), scaleAge],
};

/** The kind of the Scales of objects of a kind, for the forms in which they can be asked for. */
export function scalesOf({ struct }: ResourceDefinition): ResourceDefinition {
  return struct === undefined ? customScales : scales;
}

function valueAt(object: KubeObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, step) => (isObject(value) ? value[step] : undefined), object);
}

function withValueAt(value: JsonObject, [step = '', ...rest]: readonly string[], item: Json): JsonObject {
  const below = value[step];
  return {
    ...value,
    [step]: rest.length === 0 ? item : withValueAt(isObject(below) ? below : {}, rest, item),
  };
}

function withoutValueAt(value: JsonObject, [step = '', ...rest]: readonly string[]): JsonObject {
  const below = value[step];
  if (rest.length === 0) {
    return withoutFields(value, [step]);
  }
  return isObject(below) ? { ...value, [step]: withoutValueAt(below, rest) } : value;
}

function selectorText(selector: Json | undefined): string {
  return typeof selector === 'string'
    ? selector
    : formatSelector((selector ?? undefined) as LabelSelector | undefined);
}

function selectorOf(scale: ResourceDefinition['scale'], object: KubeObject): string | undefined {
  if (scale?.selectedLabels !== undefined) {
    const matchLabels = valueAt(object, scale.selectedLabels);
    return selectorText({ ...(isObject(matchLabels) ? { matchLabels } : undefined) });
  }
  return scale?.selector === undefined ? undefined : selectorText(valueAt(object, scale.selector));
}

/** Returns the Scale of an object. Throws 500 if the object must have replicas but has none. */
export function scaleOf(definition: ResourceDefinition, object: KubeObject): KubeObject {
  if (lacksReplicas(definition, object)) {
    throw internalErrorOccurred(`the spec replicas field "${printedPath(definition)}" does not exist`);
  }
  return scaleBefore(definition, object);
}

/** Whether the kind requires replicas and the object has none. */
function lacksReplicas({ scale }: ResourceDefinition, object: KubeObject): boolean {
  const { specReplicas = [], isSpecRequired = false } = scale ?? {};
  return isSpecRequired && valueAt(object, specReplicas) === undefined;
}

function printedPath({ scale }: ResourceDefinition): string {
  return `.${(scale?.specReplicas ?? []).join('.')}`;
}

/** Stands for missing replicas that a write must set: the smallest int32. */
const unset = -(2 ** 31);

/** Like scaleOf, for an object that is about to get replicas. */
function scaleBefore(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const { specReplicas = [], statusReplicas = [] } = definition.scale ?? {};
  const wanted = lacksReplicas(definition, object) ? unset : valueAt(object, specReplicas);
  const seen = valueAt(object, statusReplicas);
  const selector = selectorOf(definition.scale, object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: scaleIdentity.kind,
    apiVersion: scaleIdentity.apiVersion,
    metadata: {
      ...(name === undefined ? undefined : { name }),
      ...(namespace === undefined ? undefined : { namespace }),
      ...(uid === undefined ? undefined : { uid }),
      ...(resourceVersion === undefined ? undefined : { resourceVersion }),
      ...(creationTimestamp === undefined ? undefined : { creationTimestamp }),
    },
    spec: typeof wanted !== 'number' || wanted === 0 ? {} : { replicas: wanted },
    status: {
      replicas: typeof seen === 'number' ? seen : 0,
      ...(selector === undefined || selector === '' ? undefined : { selector }),
    },
  };
}

function replicasOf(scale: JsonObject): number {
  const replicas = isObject(scale['spec']) ? scale['spec']['replicas'] : undefined;
  return typeof replicas === 'number' ? replicas : 0;
}

/** Throws 422 for an invalid number of replicas. */
function checkReplicas(scale: JsonObject, name: string): void {
  const replicas = replicasOf(scale);
  if (replicas < 0) {
    throw invalidObject({ group: 'autoscaling', name: 'Scale' }, name, [
      invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
}

/**
 * Applies a Scale (server-side apply): has the same effect as applying only the replicas to the object
 * through this subresource. The manager in the options becomes the owner.
 *
 * @throws 409 naming the owner of the replicas, unless forced; 500 for a custom kind, unless nothing changes
 */
export async function applyScale(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  config: JsonObject,
  isForced: boolean,
  options: WriteOptions,
): Promise<KubeObject> {
  const { manager = '', ...unowned } = options;
  const writer = { name: manager, subresource: 'scale', now: server.now() };
  const { namespace } = options;
  const metadata = { name, ...(definition.namespaced ? { namespace } : undefined) };
  const identity = identityOf(definition);
  const { apiVersion, kind } = identity;
  const { object } = await updateObject(
    server,
    definition,
    { ...unowned, name, subresource: 'scale', isReplace: false, prepare: () => undefined, isAdmitted: true },
    async (existing) => {
      if (existing === undefined) {
        throw notFound(groupResource(definition), name);
      }
      const path = definition.scale?.specReplicas ?? [];
      const isCustom = definition.struct === undefined;
      if (isCustom && !isOwned(existing, path)) {
        throw scaleNotConverted(config, 'live');
      }
      const given = isObject(config['spec']) ? config['spec']['replicas'] : undefined;
      const partial = given === undefined ? emptyPart(config, path) : withValueAt({}, path, given);
      const live = asScaled(existing, path);
      const applied = applyConfiguration(
        definition,
        live,
        { apiVersion, kind, metadata, ...partial },
        writer,
        isForced,
      );
      const wanted = valueAt(applied as KubeObject, path);
      if (!isCustom) {
        checkReplicas(config, name);
      } else if (wanted !== valueAt(live, path)) {
        throw scaleNotConverted(config, 'new');
      }
      const decoded = decodeApplied(withValueAt(applied, path, wanted ?? 0), config, identity);
      const scales = [scaleOf(definition, decoded), scaleOf(definition, existing)] as const;
      await admitAction(server, definition, scaleAction, name, ...scales, options);
      return decoded;
    },
  );
  return scaleOf(definition, object);
}

/** What an empty spec of a Scale is for its object. */
function emptyPart(config: JsonObject, path: readonly string[]): JsonObject {
  return config['spec'] !== undefined && path.length > 1 ? withValueAt({}, path.slice(0, -1), {}) : {};
}

/** A Scale leaves out replicas that are 0. */
function asScaled(object: KubeObject, path: readonly string[]): KubeObject {
  return valueAt(object, path) === 0 ? (withoutValueAt(object, path) as KubeObject) : object;
}

function isOwned(object: KubeObject, path: readonly string[]): boolean {
  const owners = readOwners(object.metadata.managedFields ?? []);
  return owners !== undefined && areReplicasOwned(owners, path);
}

/**
 * The real server has no conversion between a custom kind and its Scale, and fails at the first one that it
 * needs.
 */
function scaleNotConverted(config: JsonObject, which: 'live' | 'new'): Error {
  const doing = which === 'live' ? 'failed to create manager for existing fields: ' : '';
  return internalError(
    `${doing}failed to convert ${which} object (${printIdentity(config)}) to proper version: request to convert CR to an invalid group/version: ${scaleIdentity.apiVersion}`,
  );
}

/** Throws 409 if the Scale belongs to another object. */
function checkUid(definition: ResourceDefinition, { metadata }: KubeObject, uid: string | undefined): void {
  const { group, name } = groupResource(definition);
  checkOwnPreconditions({ group, name: `${name}/scale` }, metadata, {
    ...(uid === undefined ? {} : { uid }),
  });
}

/** Writes the replicas through the subresource scale. */
export async function writeScale(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  makeScale: (existing: KubeObject) => KubeObject,
  options: WriteOptions & { readonly writesWhole: boolean },
): Promise<KubeObject> {
  const { object } = await updateObject(
    server,
    definition,
    { ...options, name, subresource: 'scale', isReplace: false, prepare: () => undefined, isAdmitted: true },
    async (existing) => {
      if (existing === undefined) {
        throw notFound(groupResource(definition), name);
      }
      const oldScale = scaleBefore(definition, existing);
      const scale = makeScale(oldScale);
      const { resourceVersion, uid } = scale.metadata;
      if (options.writesWhole) {
        checkIdentity(definition, uid, existing, { ...options, name });
      }
      if (lacksReplicas(definition, existing) && valueAt(scale, ['spec', 'replicas']) === unset) {
        throw badRequest(`the spec replicas field "${printedPath(definition)}" cannot be empty`);
      }
      await admitAction(server, definition, scaleAction, name, scale, oldScale, options);
      // For a custom kind the Scale itself is validated, and its uid counts only in a PUT.
      if (definition.struct !== undefined) {
        checkReplicas(scale, name);
        checkUid(definition, existing, uid);
      }
      if (resourceVersion !== undefined && resourceVersion !== existing.metadata.resourceVersion) {
        throw conflict(groupResource(definition), name, modifiedMessage);
      }
      const path = definition.scale?.specReplicas ?? [];
      const scaled = withValueAt(existing, path, replicasOf(scale));
      return { ...scaled, metadata: { ...existing.metadata } } as KubeObject;
    },
  );
  return scaleOf(definition, object);
}
