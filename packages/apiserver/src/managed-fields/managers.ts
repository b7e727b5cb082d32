import { type Json, jsonEqual } from '../meta/json.ts';
import type { ManagedFieldsEntry } from '../meta/kube-object.ts';
import {
  type FieldSet,
  difference,
  emptySet,
  intersection,
  isEmptySet,
  readFieldsV1,
  union,
  withoutBranches,
  writeFieldsV1,
} from './field-set.ts';
import { type Comparison, compare, fieldsOf, merge, removeItems, withNamedFields } from './typed-value.ts';
import type { ValueType } from './value-type.ts';

/* The owners of fields, as structured-merge-diff's package `merge` records them. */

/** One manager: a name, what it does, and through which subresource. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Owner extends Manager {
  readonly fields: FieldSet;
  readonly time: string | undefined;
}

/** The key of a manager: one that applies is the same in every version. */
export type Owners = ReadonlyMap<string, Owner>;

export function managerId({ manager, operation, apiVersion, subresource }: Manager): string {
  // The order of these texts is that in which conflicts are said.
  return JSON.stringify({
    ...(manager === '' ? undefined : { manager }),
    operation,
    ...(operation === 'Apply' ? undefined : { apiVersion }),
    ...(subresource === '' ? undefined : { subresource }),
  });
}

/** Undefined for entries that no server wrote. */
export function readOwners(entries: readonly ManagedFieldsEntry[]): Owners | undefined {
  const owners = new Map<string, Owner>();
  for (const entry of entries) {
    const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsV1 = {} } = entry;
    if (operation !== 'Apply' && operation !== 'Update') {
      return undefined;
    }
    const fields = readFieldsV1(fieldsV1);
    if (fields === undefined) {
      return undefined;
    }
    const owner: Owner = { manager, operation, apiVersion, subresource, time, fields };
    owners.set(managerId(owner), owner);
  }
  return owners;
}

export function writeOwners(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()].sort(byOperationAndTime).map((owner) => ({
    ...(owner.manager === '' ? undefined : { manager: owner.manager }),
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(owner.time === undefined ? undefined : { time: owner.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeFieldsV1(owner.fields),
    ...(owner.subresource === '' ? undefined : { subresource: owner.subresource }),
  }));
}

function byOperationAndTime(a: Owner, b: Owner): number {
  const order = (owner: Owner): readonly string[] => [
    owner.operation,
    owner.time ?? '',
    owner.manager,
    owner.apiVersion,
    owner.subresource,
  ];
  const left = order(a);
  const right = order(b);
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

/** Fields that an apply wants otherwise than another manager has them. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

interface Change {
  readonly before: Json;
  readonly after: Json;
  readonly type: ValueType;
  /** Branches that the resource, or its subresource, takes back from what is sent. */
  readonly ignored: FieldSet;
}

function compareWithout({ before, after, type, ignored }: Change): Comparison {
  const { added, modified, removed } = compare(before, after, type);
  return {
    added: withoutBranches(added, ignored),
    modified: withoutBranches(modified, ignored),
    removed: withoutBranches(removed, ignored),
  };
}

/** Takes from all owners, but the one who writes, what changed under them. */
function dispossess(
  owners: Owners,
  writer: string | undefined,
  { added, modified, removed }: Comparison,
): { readonly owners: Map<string, Owner>; readonly conflicts: readonly Conflict[] } {
  const touched = union(added, modified);
  const conflicts: Conflict[] = [];
  const rest = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    let { fields } = owner;
    if (id !== writer) {
      const lost = intersection(fields, touched);
      if (!isEmptySet(lost)) {
        conflicts.push({ owner, fields: lost });
      }
      fields = difference(difference(fields, lost), removed);
    }
    if (!isEmptySet(fields)) {
      rest.set(id, { ...owner, fields });
    }
  }
  return { owners: rest, conflicts };
}

/** After a write that is no apply: the writer owns, besides what it owned, what it changed. */
export function afterUpdate(
  owners: Owners,
  writer: Manager,
  time: string | undefined,
  change: Change,
): Owners {
  const comparison = compareWithout(change);
  const { owners: rest } = dispossess(owners, undefined, comparison);
  const taken = union(comparison.modified, comparison.added);
  if (isEmptySet(taken)) {
    return rest;
  }
  const id = managerId(writer);
  const fields = union(rest.get(id)?.fields ?? emptySet, taken);
  return rest.set(id, { ...writer, fields, time });
}

export interface Applied {
  /** Undefined when nothing but, perhaps, ownership changes. */
  readonly value: Json | undefined;
  readonly owners: Owners;
  readonly conflicts: readonly Conflict[];
}

/** After an apply. With conflicts, the value and the owners are those of an apply by force. */
export function afterApply(
  owners: Owners,
  applier: Manager,
  time: string | undefined,
  live: Json,
  config: Json,
  type: ValueType,
  ignored: FieldSet,
): Applied {
  const id = managerId(applier);
  const last = owners.get(id)?.fields ?? emptySet;
  const fields = withoutBranches(fieldsOf(config, type), ignored);
  const claimed = new Map(owners).set(id, { ...applier, fields, time: owners.get(id)?.time });
  const merged = merge(live, config, type) ?? {};
  const after = prune(merged, claimed, last, type);
  const change = { before: live, after, type, ignored };
  const { owners: rest, conflicts } = dispossess(claimed, id, compareWithout(change));
  const isChanged = !jsonEqual(live, after);
  const own = rest.get(id);
  if (isChanged && own !== undefined) {
    rest.set(id, { ...own, time });
  }
  return { value: isChanged ? after : undefined, owners: rest, conflicts };
}

/** Takes out what the applier gave up, unless others own it, or it never was the applier's. */
function prune(merged: Json, owners: Owners, last: FieldSet, type: ValueType): Json {
  if (isEmptySet(last)) {
    return merged;
  }
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const all = named(fieldsOf(merged, type));
  const lastNamed = named(last);
  const pruned = removeItems(merged, lastNamed, type);
  let owned: FieldSet = emptySet;
  for (const owner of owners.values()) {
    owned = union(owned, owner.fields);
  }
  const kept = union(named(fieldsOf(pruned, type)), named(owned));
  const withOwned = removeItems(merged, difference(all, kept), type);
  const gone = intersection(difference(all, named(fieldsOf(withOwned, type))), lastNamed);
  return removeItems(merged, gone, type);
}
