import { applyConfiguration } from '../managed-fields/field-manager.ts';
import { invalid, invalidObject } from '../meta/field-error.ts';
import { printIdentity } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
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
import { formatSelector } from '../selectors/label-selector.ts';
import { admitAction } from './admit-action.ts';
import { decodeApplied } from './apply-configuration.ts';
import type { WriteOptions } from './create-object.ts';
import type { ServerState } from './server-state.ts';
import { updateObject } from './update-object.ts';

/* The subresource scale: the replicas of an object as autoscaling/v1 Scale. */

const scaleAction = { name: 'scale', operation: 'UPDATE' } as const;

export const scaleIdentity = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  struct: 'autoscaling.v1.Scale',
} as const;

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

/** The Scale of an object that has replicas. Throws 500 for one that has none, and must. */
export function scaleOf(definition: ResourceDefinition, object: KubeObject): KubeObject {
  if (lacksReplicas(definition, object)) {
    throw internalErrorOccurred(`the spec replicas field "${printedPath(definition)}" does not exist`);
  }
  return scaleBefore(definition, object);
}

/** Whether the kind must say its replicas, and the object does not. */
function lacksReplicas({ scale }: ResourceDefinition, object: KubeObject): boolean {
  const { specReplicas = [], isSpecRequired = false } = scale ?? {};
  return isSpecRequired && valueAt(object, specReplicas) === undefined;
}

function printedPath({ scale }: ResourceDefinition): string {
  return `.${(scale?.specReplicas ?? []).join('.')}`;
}

/** What stands for replicas that are not there, and that a write must say. */
const unset = -1;

/** As scaleOf, of an object that is about to get replicas. */
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

/** Throws 422 for a number that no object may have. */
function replicasOf(scale: JsonObject, name: string): number {
  const spec = isObject(scale['spec']) ? scale['spec'] : {};
  const replicas = typeof spec['replicas'] === 'number' ? spec['replicas'] : 0;
  if (replicas < 0) {
    throw invalidObject({ group: 'autoscaling', name: 'Scale' }, name, [
      invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ]);
  }
  return replicas;
}

/**
 * Server-side apply of a Scale: as if its replicas, and nothing else, were applied to the object, through this subresource. The ownership goes to the
 * options' manager.
 *
 * @throws 409 naming who owns the replicas, unless forced
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
      if (definition.struct === undefined) {
        throw scaleNotApplied(definition, existing, config);
      }
      const path = definition.scale?.specReplicas ?? [];
      const given = isObject(config['spec']) ? config['spec']['replicas'] : undefined;
      const partial = given === undefined ? {} : withValueAt({}, path, given);
      const applied = applyConfiguration(
        definition,
        existing,
        { apiVersion, kind, metadata, ...partial },
        writer,
        isForced,
      );
      const decoded = decodeApplied(applied, config, identity);
      replicasOf(config, name);
      const scales = [scaleOf(definition, decoded), scaleOf(definition, existing)] as const;
      await admitAction(server, definition, scaleAction, name, ...scales, options);
      return decoded;
    },
  );
  return scaleOf(definition, object);
}

/** The real server has no conversion between a custom kind and its Scale, and trips over the first that it needs. */
function scaleNotApplied({ scale }: ResourceDefinition, object: KubeObject, config: JsonObject): Error {
  const path = (scale?.specReplicas ?? []).map((step) => `f:${step}`);
  const isOwned = (object.metadata.managedFields ?? []).some(
    ({ fieldsV1 }) =>
      path.reduce<Json | undefined>((at, step) => (isObject(at) ? at[step] : undefined), fieldsV1) !==
      undefined,
  );
  const [doing, which] = isOwned ? ['', 'new'] : ['failed to create manager for existing fields: ', 'live'];
  return internalError(
    `${doing}failed to convert ${which} object (${printIdentity(config)}) to proper version: request to convert CR to an invalid group/version: ${scaleIdentity.apiVersion}`,
  );
}

/** Writes the replicas through the scale subresource. */
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
      if (lacksReplicas(definition, existing) && valueAt(scale, ['spec', 'replicas']) === unset) {
        throw badRequest(`the spec replicas field "${printedPath(definition)}" cannot be empty`);
      }
      await admitAction(server, definition, scaleAction, name, scale, oldScale, options);
      const replicas = replicasOf(scale, name);
      const { resourceVersion, uid } = scale.metadata;
      if (resourceVersion !== undefined && resourceVersion !== existing.metadata.resourceVersion) {
        throw conflict(groupResource(definition), name, modifiedMessage);
      }
      if (uid !== undefined && uid !== existing.metadata.uid) {
        throw conflict(groupResource(definition), name, modifiedMessage);
      }
      const path = definition.scale?.specReplicas ?? [];
      return { ...withValueAt(existing, path, replicas), metadata: { ...existing.metadata } } as KubeObject;
    },
  );
  return scaleOf(definition, object);
}
