import { goPrint } from '../meta/go-print.ts';
import { type Json, type JsonObject, isObject, jsonEqual } from '../meta/json.ts';
import { type FieldSet, type FieldSetBuilder, childOf, insertPath, newSet, printPath } from './field-set.ts';
import { type ValueType, fieldOf, isMergeable, itemStep } from './value-type.ts';

/*
 * The operations of structured-merge-diff's package `typed` on values of a known type. They never change a
 * value in place.
 */

/** The fields that a configuration sets. */
export function fieldsOf(value: Json, type: ValueType): FieldSet {
  const set = newSet();
  collect(value, type, set);
  return set;
}

function collect(value: Json, type: ValueType, node: FieldSetBuilder): void {
  if (!isMergeable(type, value)) {
    node.isMember = true;
    return;
  }
  if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      const field = fieldOf(type, name);
      if (item === undefined || field === undefined) {
        continue;
      }
      const child = childOf(node, `f:${name}`);
      collect(item, field.type, child);
      if (item === null || isEmptyObject(item) || !field.isNamed) {
        child.isMember = true;
      }
    }
  } else if (Array.isArray(value) && type.kind === 'list') {
    for (const [step, [item = null, ...more]] of byStep(value, type)) {
      const child = childOf(node, step);
      // If several items have the same key, the fields of each item are not recorded.
      if (more.length === 0) {
        collect(item, type.of, child);
      }
      child.isMember = true;
    }
  }
}

function isEmptyObject(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(before: Json, after: Json, type: ValueType): Comparison {
  const comparison = { added: newSet(), modified: newSet(), removed: newSet() };
  const path: string[] = [];

  function descend(step: string, a: Json | undefined, b: Json | undefined, child: ValueType): void {
    path.push(step);
    visit(a, b, child);
    path.pop();
  }
  /**
   * Items that share a key are compared as a whole. They are not compared with a single item that has the
   * key.
   */
  function descendItems(step: string, a: readonly Json[], b: readonly Json[], child: ValueType): void {
    const [wasRepeated, isRepeated] = [a.length > 1, b.length > 1];
    if (wasRepeated !== isRepeated) {
      descend(step, wasRepeated ? undefined : a[0], isRepeated ? undefined : b[0], child);
      insertPath(wasRepeated ? comparison.removed : comparison.added, [...path, step]);
    } else if (!isRepeated) {
      descend(step, a[0], b[0], child);
    } else if (!jsonEqual([...a], [...b])) {
      insertPath(comparison.modified, [...path, step]);
    }
  }
  function visit(a: Json | undefined, b: Json | undefined, at: ValueType): void {
    // An object shares most of its values with its previous state.
    if (a === b) {
      return;
    }
    const isLeaf = (!isMergeable(at, a) && !isMergeable(at, b)) || (isNothing(a) && isNothing(b));
    if (isMixed(a, b)) {
      // One side is a leaf and the other has fields. The leaf is modified, and the fields are added or
      // removed.
      insertPath(comparison.modified, path);
    }
    if (isLeaf) {
      if (a !== undefined && b !== undefined) {
        if (!jsonEqual(a, b)) {
          insertPath(comparison.modified, path);
        }
        return;
      }
    } else if (isObject(a) || isObject(b)) {
      const left = isObject(a) ? a : {};
      const right = isObject(b) ? b : {};
      const visitField = (name: string): void => {
        if (left[name] === right[name]) {
          return;
        }
        const field = fieldOf(at, name);
        if (field !== undefined) {
          descend(`f:${name}`, left[name], right[name], field.type);
        }
      };
      for (const name in left) {
        visitField(name);
      }
      for (const name in right) {
        if (!Object.hasOwn(left, name)) {
          visitField(name);
        }
      }
    } else if (at.kind === 'list') {
      const left = byStep(a, at);
      const right = byStep(b, at);
      for (const step of new Set([...left.keys(), ...right.keys()])) {
        descendItems(step, left.get(step) ?? [], right.get(step) ?? [], at.of);
      }
    }
    if (a === undefined) {
      insertPath(comparison.added, path);
    } else if (b === undefined) {
      insertPath(comparison.removed, path);
    }
  }
  visit(before, after, type);
  return comparison;
}

/** Whether there is no value or an empty one. null and an empty value differ, so each of them is a leaf. */
function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null) {
    return true;
  }
  return Array.isArray(value) ? value.length === 0 : isEmptyObject(value);
}

function isMixed(a: Json | undefined, b: Json | undefined): boolean {
  const shape = (value: Json | undefined): string | undefined =>
    value === undefined || value === null ? undefined : Array.isArray(value) ? 'list' : typeof value;
  const [left, right] = [shape(a), shape(b)];
  return left !== undefined && right !== undefined && left !== right;
}

/**
 * The items by their keys. An updated object may have several items with one key, such as an environment
 * variable that is set twice; an applied configuration must not.
 */
function byStep(value: Json | undefined, type: ValueType): ReadonlyMap<string, readonly Json[]> {
  const found = new Map<string, Json[]>();
  // Map.groupBy is not in Node 20.
  for (const item of Array.isArray(value) ? value : []) {
    const step = itemStep(type, item);
    const same = found.get(step);
    if (same === undefined) {
      found.set(step, [item]);
    } else {
      same.push(item);
    }
  }
  return found;
}

/** Merges a configuration into the live value. */
export function merge(live: Json | undefined, config: Json | undefined, type: ValueType): Json | undefined {
  if (config === undefined) {
    return live;
  }
  if (live === undefined || !isMergeable(type, config)) {
    return config;
  }
  if (isObject(config) && isObject(live)) {
    const merged: JsonObject = { ...live };
    for (const [name, item] of Object.entries(config)) {
      const field = fieldOf(type, name);
      merged[name] = field === undefined ? item : merge(live[name], item, field.type);
    }
    return merged;
  }
  if (Array.isArray(config) && Array.isArray(live) && type.kind === 'list') {
    return mergeItems(live, config, type);
  }
  // null in place of fields or items does not remove them.
  return config === null && !isNothing(live) ? live : config;
}

/** Items of the configuration have its order. Other items keep their positions relative to those. */
function mergeItems(
  live: readonly Json[],
  config: readonly Json[],
  type: Extract<ValueType, { kind: 'list' }>,
): Json[] {
  const left = byStep([...live], type);
  const right = byStep([...config], type);
  const liveSteps = live.map((item) => itemStep(type, item));
  const configSteps = [...right.keys()];
  const shared = configSteps.filter((step) => left.has(step));
  const out: Json[] = [];
  const isMerged = new Set<string>();
  const takeConfigured = (step: string): void => {
    isMerged.add(step);
    const [item, ...more] = left.get(step) ?? [];
    // The item of the configuration replaces live items that share its key.
    const merged = merge(more.length === 0 ? item : undefined, right.get(step)?.[0], type.of);
    if (merged !== undefined) {
      out.push(merged);
    }
    if (shared[0] === step) {
      shared.shift();
    }
  };
  let l = 0;
  let r = 0;
  while (l < liveSteps.length || r < configSteps.length) {
    const fromLive = liveSteps[l];
    const fromConfig = configSteps[r];
    if (fromLive !== undefined && fromConfig !== undefined) {
      if (fromLive === fromConfig) {
        takeConfigured(fromLive);
        l++;
        r++;
        continue;
      }
      if (right.has(fromLive) && shared[0] !== undefined && shared[0] !== fromLive) {
        l++;
        continue;
      }
    }
    if (fromLive !== undefined) {
      if (!right.has(fromLive)) {
        out.push(live[l] ?? null);
        l++;
        continue;
      }
      if (isMerged.has(fromLive)) {
        l++;
      }
    }
    if (fromConfig !== undefined) {
      takeConfigured(fromConfig);
      r++;
    }
  }
  return out;
}

/**
 * Removes the fields and items of the set. Returns null if nothing is left, so that the field itself remains.
 */
export function removeItems(value: Json, set: FieldSet, type: ValueType): Json {
  if (isObject(value) && isMergeable(type, value)) {
    const kept: JsonObject = {};
    for (const [name, item] of Object.entries(value)) {
      const field = fieldOf(type, name);
      const below = set.children.get(`f:${name}`);
      if (below?.isMember === true || item === undefined) {
        continue;
      }
      kept[name] = below === undefined || field === undefined ? item : removeItems(item, below, field.type);
    }
    return Object.keys(kept).length === 0 ? null : kept;
  }
  if (Array.isArray(value) && type.kind === 'list') {
    const kept: Json[] = [];
    for (const item of value) {
      const below = set.children.get(itemStep(type, item));
      if (below?.isMember === true) {
        continue;
      }
      kept.push(below === undefined ? item : removeItems(item, below, type.of));
    }
    return kept.length === 0 ? null : kept;
  }
  return value;
}

/** Adds to the set every field of a struct that lies on the path to a member. */
export function withNamedFields(set: FieldSet, type: ValueType): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [step, child] of set.children) {
    const field = step.startsWith('f:') ? fieldOf(type, step.slice(2)) : undefined;
    const below = step.startsWith('f:') ? field?.type : type.kind === 'list' ? type.of : undefined;
    const named = below === undefined ? child : withNamedFields(child, below);
    const isNamed = field?.isNamed === true && child.children.size > 0;
    children.set(step, isNamed ? { ...named, isMember: true } : named);
  }
  return { isMember: set.isMember, children };
}

/** Whether the items of an associative list may share a key, as in objects that are there already. */
type Duplicates = 'refused' | 'allowed';

/** The type errors of a configuration, in structured-merge-diff's words. */
export function typeProblems(
  value: Json,
  type: ValueType,
  duplicates: Duplicates = 'refused',
  path: readonly string[] = [],
): string[] {
  if (value === null) {
    return [];
  }
  const problemsOf = (child: Json | undefined, of: ValueType, below: readonly string[]): string[] =>
    typeProblems(child ?? null, of, duplicates, below);
  const problem = (text: string): string[] => [`${printPath(path)}: ${text}`];
  switch (type.kind) {
    case 'deduced':
      return isObject(value) && type.metadata !== undefined
        ? problemsOf(value['metadata'], type.metadata, ['f:metadata'])
        : [];
    case 'leaf': {
      if (type.whole !== undefined) {
        return problemsOf(value, type.whole, path);
      }
      if (type.scalar === undefined || typeof value === type.scalar) {
        return [];
      }
      switch (type.scalar) {
        case 'number':
          return problem(`expected numeric (int or float), got ${goTypeOf(value)}`);
        case 'boolean':
          return problem(`expected boolean, got &{${goPrint(value)}}`);
        case 'string':
          return problem(`expected string, got ${goUnstructured(value)}`);
      }
    }
    case 'struct':
    case 'object':
    case 'map':
      if (!isObject(value)) {
        return problem(`expected map, got &{${goPrint(value)}}`);
      }
      return Object.entries(value).flatMap(([name, item]) => {
        const field = fieldOf(type, name);
        const below = [...path, `f:${name}`];
        if (field === undefined) {
          return [`${printPath(below)}: field not declared in schema`];
        }
        return problemsOf(item, field.type, below);
      });
    case 'list': {
      if (!Array.isArray(value)) {
        return problem(`expected list, got &{${goPrint(value)}}`);
      }
      if (type.isWhole === true) {
        return value.flatMap((item, index) => problemsOf(item, type.of, [...path, `i:${index}`]));
      }
      const seen = new Set<string>();
      return value.flatMap((item, index) => {
        if (item === null && type.keys === undefined) {
          return problem(
            `element ${index}: associative list without keys has an element that's an explicit null`,
          );
        }
        const step = itemStep(type, item);
        if (step === 'k:{}') {
          const names = JSON.stringify(type.keys?.map(({ name }) => name)).replaceAll(',', ' ');
          return problem(
            `element ${index}: associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
          );
        }
        const found = problemsOf(item, type.of, [...path, step]);
        if (duplicates === 'refused' && seen.has(step)) {
          found.push(`${printPath(path)}: duplicate entries for key ${printPath([step])}`);
        }
        seen.add(step);
        return found;
      });
    }
  }
}

function goTypeOf(value: Json): string {
  if (Array.isArray(value)) {
    return '[]interface {}';
  }
  return isObject(value) ? 'map[string]interface {}' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function goUnstructured(value: Json): string {
  return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
}

/** Formats a value in Go's syntax. */
function goSyntax(value: Json): string {
  if (Array.isArray(value)) {
    return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  }
  if (isObject(value)) {
    const fields = Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key] ?? null)}`);
    return `map[string]interface {}{${fields.join(', ')}}`;
  }
  return value === null ? 'interface {}(nil)' : JSON.stringify(value);
}
