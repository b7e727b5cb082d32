import { type Json, isObject } from '../meta/json.ts';
import { type FieldType, structSchema } from './schema.ts';

/*
 * What strict decoding (sigs.k8s.io/json) finds in a text that is valid JSON: fields that an object gives twice, of which JSON.parse keeps the last, and fields
 * that a struct does not have.
 */

/** A type, or `any` where there is none, so that every field is known; undefined where nothing is looked at. */
type Known = FieldType | 'any' | undefined;

/** So many are told. */
const mostFindings = 100;

/** Whether some object of the text has a field twice. It costs little where none has. */
export function hasDuplicateFields(text: string, parsed: Json): boolean {
  // A quote behind one backslash is within a string. Strings with more of them can only make it more, so that no field is missed.
  const most = text.match(/(?<!(?<!\\)\\)"\s*:/g)?.length ?? 0;
  return most > countFields(parsed) && strictFindings(text, undefined).length > 0;
}

/** Without recursion: what is unknown may be deeper than the stack. */
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
 * The messages in the order of the text, each once: `duplicate field "a.b"`, and for a struct `unknown field "a.c[0].d"`.
 *
 * @param text valid JSON
 * @param struct in the schema data; undefined: any field may be there
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
      // What is kept as it comes.
      return undefined;
  }
}

function itemType(type: Known): Known {
  if (type === undefined || type === 'any') {
    return type;
  }
  return type.kind === 'list' ? type.of : type.kind === 'pointer' ? itemType(type.of) : undefined;
}
