import { type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { type FieldSet, difference, emptySet, intersection, isEmptySet, setOf } from './field-set.ts';
import { type Conflict, type Manager, type Owner, type Owners, afterUpdate, managerId } from './managers.ts';
import type { ValueType } from './value-type.ts';

/*
 * The owners of an object's replicas, as managedfields.ScaleHandler takes them to its Scale and back. A Scale has one field, and there each manager is one of
 * autoscaling/v1: on the way back who updates becomes another manager.
 */

/** Where an object has its replicas: the names of fields from the root. */
export type ReplicasPath = readonly string[];

const replicasAt = (path: ReplicasPath): FieldSet => setOf([path.map((name) => `f:${name}`)]);

/** Where the replicas would be, if there were some. */
const above = (path: ReplicasPath): FieldSet => replicasAt(path.slice(0, -1));

const owns = ({ fields }: Owner, replicas: FieldSet): boolean => !isEmptySet(intersection(fields, replicas));

/** Whether anybody owns the replicas. */
export function areReplicasOwned(owners: Owners, path: ReplicasPath): boolean {
  return [...owners.values()].some((owner) => owns(owner, replicasAt(path)));
}

/**
 * After a write through the scale subresource: the one that updates loses the field from what it owned before, and owns it in an entry of its own,
 * without a time. A field that nobody owned stays without an owner.
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
 * As `afterScale`, after an apply of a Scale: of those who own the replicas after it. Who owned them, and applies an empty spec, has something of the
 * Scale still, and so is not found to have lost them.
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

/** After a Scale that replaced one of a custom kind: the real server cannot convert it, and so forgets who owns the replicas. */
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

/** Before the first apply of a Scale: the replicas that are there and that nobody owns are the given manager's. */
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

/** Who applies a Scale is shown who owns its replicas, wherever the object has them and whatever else they own. */
export function conflictInScale({ owner }: Conflict): Conflict {
  return { owner: { ...owner, ...inScale(owner) }, fields: replicasAt(['spec', 'replicas']) };
}

function inScale({ manager, operation, subresource }: Manager): Manager {
  return { manager, operation, subresource, apiVersion: 'autoscaling/v1' };
}

/** The owners of the replicas, as those of a Scale. */
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
    // By another key, as it may be the same manager that is left with its other fields.
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

/** The replicas alone, where the object has them; as a Scale says it, none is nothing. */
function scaled(value: JsonObject, [step = '', ...rest]: ReplicasPath): JsonObject {
  const item = value[step];
  if (rest.length === 0) {
    return item === undefined || item === 0 ? {} : { [step]: item };
  }
  const below = isObject(item) ? scaled(item, rest) : {};
  return Object.keys(below).length === 0 ? {} : { [step]: below };
}
