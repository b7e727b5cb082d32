import { type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type FieldSet, difference, emptySet, intersection, isEmptySet, setOf } from './field-set.ts';
import { type Conflict, type Manager, type Owner, type Owners, afterUpdate, managerId } from './managers.ts';
import type { ValueType } from './value-type.ts';

/*
 * Maps the owners of an object's replicas to its Scale and back, as managedfields.ScaleHandler does. A Scale
 * has a single owned field, and all managers of it have the apiVersion autoscaling/v1. Therefore a manager
 * that updates becomes a different manager on the way back.
 */

/** The path of the replicas in the object: the names of fields from the root. */
export type ReplicasPath = readonly string[];

const replicasAt = (path: ReplicasPath): FieldSet => setOf([path.map((name) => `f:${name}`)]);

/** The field that contains the replicas. */
const above = (path: ReplicasPath): FieldSet => replicasAt(path.slice(0, -1));

const owns = ({ fields }: Owner, replicas: FieldSet): boolean => !isEmptySet(intersection(fields, replicas));

/** Whether any manager owns the replicas. */
export function areReplicasOwned(owners: Owners, path: ReplicasPath): boolean {
  return [...owners.values()].some((owner) => owns(owner, replicasAt(path)));
}

/**
 * The owners after an update of the scale subresource. The writer owns the replicas in a separate entry
 * without a time, and no longer in its other entry. If no manager owned the replicas, none does afterwards.
 */
export function afterScale(
  owners: Owners,
  writer: Manager,
  { before, after }: { readonly before: KubeObject; readonly after: KubeObject },
  type: ValueType,
  path: ReplicasPath,
): Owners {
  const replicas = replicasAt(path);
  let scaling = scalingOf(owners, replicas);
  if (scaling.size > 0) {
    const change = { before: scaled(before, path), after: scaled(after, path), type, ignored: emptySet };
    scaling = afterUpdate(scaling, inScale(writer), undefined, change);
  }
  return ontoParent(owners, scaling, writer.apiVersion, replicas);
}

/**
 * Like `afterScale`, after an apply of a Scale. `applied` has the owners of the replicas after the apply. An
 * applier that owned the replicas and applies an empty spec still owns a part of the Scale, so it keeps the
 * replicas.
 */
export function afterScaleApplied(
  owners: Owners,
  applied: Owners,
  applier: Manager,
  path: ReplicasPath,
): Owners {
  const replicas = replicasAt(path);
  const scaling = new Map(scalingOf(applied, replicas));
  const id = managerId(applier);
  const before = owners.get(id);
  const now = applied.get(id);
  if (before !== undefined && now !== undefined && owns(before, replicas) && owns(now, above(path))) {
    scaling.set(id, before);
  }
  return ontoParent(owners, scaling, applier.apiVersion, replicas);
}

/**
 * The owners after a PUT of the Scale of a custom kind. The real server cannot convert that Scale, so all
 * ownership of the replicas is lost.
 */
export function withoutScale(owners: Owners, path: ReplicasPath): Owners {
  const replicas = replicasAt(path);
  const rest = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const fields = difference(owner.fields, replicas);
    if (!isEmptySet(fields)) {
      rest.set(id, { ...owner, fields });
    }
  }
  return rest;
}

/** The owners before the first apply of a Scale. If no manager owns existing replicas, `manager` does. */
export function beforeScale(
  owners: Owners,
  manager: Manager,
  live: KubeObject,
  path: ReplicasPath,
): Map<string, Owner> {
  const all = new Map(owners);
  if (!areReplicasOwned(owners, path) && !jsonEqual(scaled(live, path), {})) {
    all.set(managerId(manager), { ...manager, fields: replicasAt(path), time: undefined });
  }
  return all;
}

/**
 * Reports a conflict as one about the field spec.replicas of the Scale, wherever the object has its replicas
 * and whatever else the other manager owns.
 */
export function conflictInScale({ owner }: Conflict): Conflict {
  return { owner: { ...owner, ...inScale(owner) }, fields: replicasAt(['spec', 'replicas']) };
}

function inScale({ manager, operation, subresource }: Manager): Manager {
  return { manager, operation, subresource, apiVersion: 'autoscaling/v1' };
}

/** The owners of the replicas, as owners of the Scale. */
function scalingOf(owners: Owners, replicas: FieldSet): Owners {
  return new Map(
    [...owners.values()]
      .filter((owner) => owns(owner, replicas))
      .map((owner) => [managerId(inScale(owner)), { ...owner, fields: replicas }]),
  );
}

function ontoParent(owners: Owners, scaling: Owners, apiVersion: string, replicas: FieldSet): Owners {
  const rest = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const isKept = !owns(owner, replicas) || scaling.has(id);
    const fields = isKept ? owner.fields : difference(owner.fields, replicas);
    if (!isEmptySet(fields)) {
      rest.set(id, { ...owner, fields });
    }
  }
  for (const [id, { manager, operation, subresource }] of scaling) {
    const owner = owners.get(id);
    if (owner !== undefined && owns(owner, replicas)) {
      continue;
    }
    // Uses a separate key, because the same manager may remain with its other fields.
    rest.set(`scale ${id}`, {
      manager,
      operation,
      subresource,
      apiVersion,
      fields: replicas,
      time: undefined,
    });
  }
  return rest;
}

/** The object with nothing but its replicas. 0 replicas are left out, as in a Scale. */
function scaled(value: JsonObject, [step = '', ...rest]: ReplicasPath): JsonObject {
  const item = value[step];
  if (rest.length === 0) {
    return item === undefined || item === 0 ? {} : { [step]: item };
  }
  const below = isObject(item) ? scaled(item, rest) : {};
  return Object.keys(below).length === 0 ? {} : { [step]: below };
}
