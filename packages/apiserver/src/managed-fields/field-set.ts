import { type Json, type JsonObject, isObject } from '../meta/json.ts';

/*
 * Sets of field paths, as in sigs.k8s.io/structured-merge-diff/fieldpath. They are kept as trees, the form of
 * FieldsV1. Each step of a path is written as in FieldsV1: `f:name`, `k:{"name":"a"}`, `v:"a"`.
 */

/** A node of the tree. If it is a member, the path to it belongs to the set. */
export interface FieldSet {
  readonly isMember: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export interface FieldSetBuilder extends FieldSet {
  isMember: boolean;
  readonly children: Map<string, FieldSetBuilder>;
}

export const emptySet: FieldSet = { isMember: false, children: new Map() };

export function newSet(): FieldSetBuilder {
  return { isMember: false, children: new Map() };
}

export function insertPath(set: FieldSetBuilder, path: readonly string[]): void {
  let node = set;
  for (const step of path) {
    node = childOf(node, step);
  }
  node.isMember = true;
}

export function childOf(node: FieldSetBuilder, step: string): FieldSetBuilder {
  let child = node.children.get(step);
  if (child === undefined) {
    node.children.set(step, (child = newSet()));
  }
  return child;
}

export function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const set = newSet();
  for (const path of paths) {
    insertPath(set, path);
  }
  return set;
}

export function isEmptySet(set: FieldSet): boolean {
  return !set.isMember && [...set.children.values()].every(isEmptySet);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(a)) {
    return b;
  }
  return isBare(b) ? a : combine(a, b, (inA, inB) => inA || inB);
}

/** The paths of `a` that are not in `b`. Paths below those in `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isBare(a) || isBare(b) ? a : combine(a, b, (inA, inB) => inA && !inB);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return isBare(a) || isBare(b) ? emptySet : combine(a, b, (inA, inB) => inA && inB);
}

function isBare({ isMember, children }: FieldSet): boolean {
  return !isMember && children.size === 0;
}

function combine(a: FieldSet, b: FieldSet, keeps: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const children = new Map<string, FieldSet>();
  const add = (step: string, child: FieldSet): void => {
    if (child.isMember || child.children.size > 0) {
      children.set(step, child);
    }
  };
  for (const [step, child] of a.children) {
    add(step, combine(child, b.children.get(step) ?? emptySet, keeps));
  }
  if (keeps(false, true)) {
    for (const [step, child] of b.children) {
      if (!a.children.has(step)) {
        add(step, combine(emptySet, child, keeps));
      }
    }
  }
  return { isMember: keeps(a.isMember, b.isMember), children };
}

/** The paths of `a` that are neither in `b` nor below a path in `b`. */
export function withoutBranches(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(b)) {
    return a;
  }
  const children = new Map<string, FieldSet>();
  for (const [step, child] of a.children) {
    const other = b.children.get(step);
    if (other?.isMember === true) {
      continue;
    }
    const kept = other === undefined ? child : withoutBranches(child, other);
    if (kept.isMember || kept.children.size > 0) {
      children.set(step, kept);
    }
  }
  return { isMember: a.isMember, children };
}

/** The members in the order in which messages list them: those of a level before those of deeper levels. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): string[][] {
  const children = sortedChildren(set);
  return [
    ...children.filter(([, child]) => child.isMember).map(([step]) => [...prefix, step]),
    ...children.flatMap(([step, child]) => pathsOf(child, [...prefix, step])),
  ];
}

const kinds = 'fkvi';

function sortedChildren(set: FieldSet): [string, FieldSet][] {
  const children = [...set.children];
  // Most nodes have at most one child, so this avoids sorting.
  if (children.length < 2) {
    return children;
  }
  return children.sort(([a], [b]) => {
    const byKind = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
    return byKind !== 0 ? byKind : a < b ? -1 : 1;
  });
}

/** Converts a set to the form in managedFields. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields: JsonObject = {};
  for (const [step, child] of sortedChildren(set)) {
    const below = writeFieldsV1(child);
    fields[step] = child.isMember && child.children.size > 0 ? { '.': {}, ...below } : below;
  }
  return fields;
}

/** Undefined if `fields` is not valid FieldsV1. */
export function readFieldsV1(fields: JsonObject): FieldSet | undefined {
  const children = new Map<string, FieldSet>();
  let isMember = false;
  for (const [step, below] of Object.entries(fields)) {
    if (!isObject(below)) {
      return undefined;
    }
    if (step === '.') {
      isMember = true;
      continue;
    }
    if (!isStep(step)) {
      return undefined;
    }
    const child = readFieldsV1(below);
    if (child === undefined) {
      return undefined;
    }
    children.set(step, Object.keys(below).length === 0 ? { isMember: true, children: new Map() } : child);
  }
  return { isMember, children };
}

/** Whether a step of a path can be read: a field, the keys of an item, its value, or its index. */
function isStep(step: string): boolean {
  const content = step.slice(2);
  switch (step.slice(0, 2)) {
    case 'f:':
      return true;
    case 'k:':
      return isObject(jsonOf(content));
    case 'v:':
      return jsonOf(content) !== undefined;
    case 'i:':
      return /^[-+]?\d+$/.test(content);
    default:
      return false;
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Formats a path for messages: `.spec.containers[name="a"].image`. */
export function printPath(path: readonly string[]): string {
  return path
    .map((step) => {
      const content = step.slice(2);
      if (step.startsWith('f:')) {
        return `.${content}`;
      }
      if (step.startsWith('v:')) {
        return `[=${content}]`;
      }
      if (step.startsWith('i:')) {
        return `[${content}]`;
      }
      const keys = JSON.parse(content) as JsonObject;
      return `[${Object.entries(keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');
}
