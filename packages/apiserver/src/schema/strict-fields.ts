import { type Json, isObject } from '../meta/json.ts';
import { type FieldType, structSchema } from './schema.ts';

/*
 * Strict decoding (sigs.k8s.io/json) of a text that is valid JSON. Finds fields that an object has twice, of
 * which JSON.parse keeps the last, and fields that a struct does not have.
 */

/**
 * The type of a value. With `any`, every field is known, and duplicates are found. With undefined, nothing is
 * checked.
 */
type Known = FieldType | 'any' | undefined;

/** The most findings that are reported. */
const mostFindings = 100;

/** Whether an object in the text has a field twice. This is cheap if there is none. */
export function hasDuplicateFields(text: string, parsed: Json): boolean {
  // Count what may be the end of a field name. A quote after exactly one backslash belongs to a string. Other
  // strings can only increase the count, so no duplicate is missed.
  const most = text.match(/(?<!(?<!\\)\\)"\s*:/g)?.length ?? 0;
  return most > countFields(parsed) && strictFindings(text, undefined).length > 0;
}

/** Does not recurse, because unknown values may be nested more deeply than the stack allows. */
function countFields(root: Json): number {
  let count = 0;
  const left: (Json | undefined)[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) {
      for (const item of value) {
        left.push(item);
      }
    } else if (isObject(value)) {
      for (const field in value) {
        count++;
        left.push(value[field]);
      }
    }
  }
  return count;
}

/**
 * Returns the messages in the order of the text, each once: `duplicate field "a.b"`, and for a struct
 * `unknown field "a.c[0].d"`.
 *
 * @param text valid JSON
 * @param struct in the schema data; undefined: every field is known
 */
export function strictFindings(text: string, struct: string | undefined): readonly string[] {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/g);
  const next = (): string => tokens.next().value?.[0] ?? '';
  const findings = new Set<string>();

  function find(problem: 'duplicate' | 'unknown', path: string): void {
    if (findings.size < mostFindings) {
      findings.add(`${problem} field ${JSON.stringify(path)}`);
    }
  }

  function walk(token: string, type: Known, path: string): void {
    if (token === '{') {
      walkObject(type, path);
    } else if (token === '[') {
      let item = next();
      for (let index = 0; item !== ']' && item !== ''; index++) {
        walk(item, itemType(type), `${path}[${index}]`);
        item = next() === ',' ? next() : ']';
      }
    }
  }

  function walkObject(type: Known, path: string): void {
    const seen = new Set<string>();
    let key = next();
    while (key !== '}' && key !== '') {
      const name = JSON.parse(key) as string;
      const child = path === '' ? name : `${path}.${name}`;
      const field = fieldType(type, name);
      if (field === 'unknown') {
        find('unknown', child);
      } else if (seen.has(name) && type !== undefined) {
        find('duplicate', child);
      }
      seen.add(name);
      walk(next(), field === 'unknown' ? undefined : field, child);
      key = next() === ',' ? next() : '}';
    }
  }

  walk(next(), struct === undefined ? 'any' : { kind: 'struct', name: struct }, '');
  return [...findings];
}

function fieldType(type: Known, name: string): Known | 'unknown' {
  if (type === undefined || type === 'any') {
    return type;
  }
  switch (type.kind) {
    case 'pointer':
      return fieldType(type.of, name);
    case 'map':
      return type.of;
    case 'struct':
      return structSchema(type.name).byName.get(name)?.type ?? 'unknown';
    default:
      // The value is kept as it is, so it is not checked.
      return undefined;
  }
}

function itemType(type: Known): Known {
  if (type === undefined || type === 'any') {
    return type;
  }
  return type.kind === 'list' ? type.of : type.kind === 'pointer' ? itemType(type.of) : undefined;
}
