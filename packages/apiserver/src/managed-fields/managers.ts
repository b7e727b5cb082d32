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
import type { Converting, VersionedType, Versions } from './versions.ts';

/* Records the owners of fields, as structured-merge-diff's package `merge` does. */

/** A manager: its name, its operation, and the subresource through which it writes. */
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

/** By the key of the manager. A manager that applies has the same key in every version. */
export type Owners = ReadonlyMap<string, Owner>;

export function managerId({ manager, operation, apiVersion, subresource }: Manager): string {
  // Conflicts are reported in the order of these texts.
  return JSON.stringify({
    ...(manager === '' ? undefined : { manager }),
    operation,
    ...(operation === 'Apply' ? undefined : { apiVersion }),
    ...(subresource === '' ? undefined : { subresource }),
  });
}

/** Undefined if a server cannot have written the entries. */
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

/** The fields of another manager that an apply would set to other values. */
export interface Conflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

interface Change extends VersionedType {
  readonly before: Json;
  readonly after: Json;
}

function compareWithout({ before, after, type, ignored }: Change): Comparison {
  const { added, modified, removed } = compare(before, after, type);
  return {
    added: withoutBranches(added, ignored),
    modified: withoutBranches(modified, ignored),
    removed: withoutBranches(removed, ignored),
  };
}

/** What a write changes in other versions in which owners wrote, by apiVersion. */
export type OtherComparisons = ReadonlyMap<string, Comparison>;

const noOthers: OtherComparisons = new Map();

export function* compareInOthers(
  owners: Owners,
  before: Json,
  after: Json,
  versions: Versions,
): Converting<OtherComparisons> {
  const found = new Map<string, Comparison>();
  for (const { apiVersion } of owners.values()) {
    const other = found.has(apiVersion) ? undefined : versions.other(apiVersion);
    if (other !== undefined) {
      const change = {
        before: yield { value: before, apiVersion },
        after: yield { value: after, apiVersion },
      };
      found.set(apiVersion, compareWithout({ ...change, ...other }));
    }
  }
  return found;
}

/** Removes changed fields from all owners except the writer. */
function dispossess(
  owners: Owners,
  writer: string | undefined,
  comparison: Comparison,
  others: OtherComparisons,
): { readonly owners: Map<string, Owner>; readonly conflicts: readonly Conflict[] } {
  const touchedIn = ({ added, modified }: Comparison): FieldSet => union(added, modified);
  const touched = touchedIn(comparison);
  const conflicts: Conflict[] = [];
  const rest = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    let { fields } = owner;
    if (id !== writer) {
      const other = others.get(owner.apiVersion);
      const { removed } = other ?? comparison;
      const lost = intersection(fields, other === undefined ? touched : touchedIn(other));
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

/**
 * The owners after an update. The writer owns the fields that it changed, in addition to those that it owned.
 */
export function afterUpdate(
  owners: Owners,
  writer: Manager,
  time: string | undefined,
  change: Change,
  others: OtherComparisons = noOthers,
): Owners {
  const comparison = compareWithout(change);
  const { owners: rest } = dispossess(owners, undefined, comparison, others);
  const taken = union(comparison.modified, comparison.added);
  if (isEmptySet(taken)) {
    return rest;
  }
  const id = managerId(writer);
  const fields = union(rest.get(id)?.fields ?? emptySet, taken);
  return rest.set(id, { ...writer, fields, time });
}

export interface Applied {
  /** Undefined if the apply changes nothing, except perhaps ownership. */
  readonly value: Json | undefined;
  readonly owners: Owners;
  readonly conflicts: readonly Conflict[];
}

/** The result of an apply. If there are conflicts, the value and the owners are those of a forced apply. */
export function* afterApply(
  owners: Owners,
  applier: Manager,
  time: string | undefined,
  live: Json,
  config: Json,
  versions: Versions,
): Converting<Applied> {
  const { type, ignored } = versions;
  const id = managerId(applier);
  const last = owners.get(id);
  const fields = withoutBranches(fieldsOf(config, type), ignored);
  const claimed = new Map(owners).set(id, { ...applier, fields, time: last?.time });
  const merged = merge(live, config, type) ?? {};
  const after = yield* prune(merged, claimed, last, versions);
  const others = yield* compareInOthers(claimed, live, after, versions);
  const change = { before: live, after, type, ignored };
  const { owners: rest, conflicts } = dispossess(claimed, id, compareWithout(change), others);
  const isChanged = !jsonEqual(live, after);
  const own = rest.get(id);
  if (isChanged && own !== undefined) {
    rest.set(id, { ...own, time });
  }
  return { value: isChanged ? after : undefined, owners: rest, conflicts };
}

/** Removes fields that the applier owned and no longer applies, unless other managers own them. */
function* prune(merged: Json, owners: Owners, last: Owner | undefined, versions: Versions): Converting<Json> {
  if (last === undefined || isEmptySet(last.fields)) {
    return merged;
  }
  const other = versions.other(last.apiVersion);
  const isOther = other !== undefined;
  const lastVersion = isOther ? last.apiVersion : versions.apiVersion;
  const { type } = other ?? versions;
  const whole = isOther ? yield { value: merged, apiVersion: lastVersion } : merged;
  const lastNamed = withNamedFields(last.fields, type);
  const all = withNamedFields(fieldsOf(whole, type), type);
  let kept = { merged: whole, pruned: removeItems(whole, lastNamed, type), version: lastVersion };
  for (const [version, owned] of ownedByVersion(owners, lastVersion, versions)) {
    kept = yield* inVersion(kept, version);
    const typeThere = versions.other(version)?.type ?? versions.type;
    const named = (set: FieldSet): FieldSet => withNamedFields(set, typeThere);
    const keeping = union(named(fieldsOf(kept.pruned, typeThere)), named(owned));
    const there = named(fieldsOf(kept.merged, typeThere));
    kept = { ...kept, pruned: removeItems(kept.merged, difference(there, keeping), typeThere) };
  }
  const { pruned } = yield* inVersion(kept, lastVersion);
  const gone = intersection(difference(all, withNamedFields(fieldsOf(pruned, type), type)), lastNamed);
  const result = removeItems(whole, gone, type);
  return isOther ? yield { value: result, apiVersion: versions.apiVersion } : result;
}

interface Pruned {
  readonly merged: Json;
  readonly pruned: Json;
  readonly version: string;
}

function* inVersion(value: Pruned, version: string): Converting<Pruned> {
  return value.version === version
    ? value
    : {
        merged: yield { value: value.merged, apiVersion: version },
        pruned: yield { value: value.pruned, apiVersion: version },
        version,
      };
}

/**
 * The owned fields in each version that has different fields. The version of the last apply comes first,
 * because conversions may need the result of its pruning.
 */
function ownedByVersion(
  owners: Owners,
  lastVersion: string,
  versions: Versions,
): ReadonlyMap<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[lastVersion, emptySet]]);
  for (const { apiVersion, fields } of owners.values()) {
    const version = versions.other(apiVersion) === undefined ? versions.apiVersion : apiVersion;
    owned.set(version, union(owned.get(version) ?? emptySet, fields));
  }
  return owned;
}
