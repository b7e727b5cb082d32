import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { type FieldType, structSchema } from './schema.ts';

/*
 * Parses an object that has a field twice as Go does: Go decodes the second value onto the first. Structs and
 * maps get the fields of both values. Items of a list keep what the items of the second list do not set.
 */

/** The type of a value. Undefined if the value is kept as it is, so that the last one wins. */
type Known = FieldType | undefined;

/**
 * @param text valid JSON
 * @param struct in the schema data
 */
export function parseOntoItself(text: string, struct: string): Json {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/g);
  interface Token {
    readonly word: string;
    readonly start: number;
  }
  const next = (): Token => {
    const { value } = tokens.next();
    return { word: value?.[0] ?? '', start: value?.index ?? text.length };
  };

  /** Parses the whole value that starts with the token. Nesting of any depth cannot overflow the stack. */
  function parseWhole({ word, start }: Token): Json {
    let depth = 0;
    let end = start + word.length;
    for (let token: Token = { word, start }; token.word !== ''; token = next()) {
      end = token.start + token.word.length;
      depth += /^[{[]/.test(token.word) ? 1 : /^[}\]]/.test(token.word) ? -1 : 0;
      if (depth === 0) {
        break;
      }
    }
    return JSON.parse(text.slice(start, end)) as Json;
  }

  function parse(token: Token, type: Known, onto: Json | undefined): Json | undefined {
    const bare = type?.kind === 'pointer' ? type.of : type;
    if (token.word === 'null') {
      return type === undefined || !keepsNull(type) ? null : onto;
    }
    if (token.word === '{' && bare?.kind === 'struct') {
      const { byName } = structSchema(bare.name);
      return parseFields(isObject(onto) ? onto : {}, (name, old) =>
        parse(next(), byName.get(name)?.type, old),
      );
    }
    if (token.word === '{' && bare?.kind === 'map') {
      // Go decodes each value of a map from scratch.
      return parseFields(isObject(onto) ? onto : {}, () => parse(next(), bare.of, undefined));
    }
    if (token.word === '[' && bare?.kind === 'list') {
      return parseItems(bare.of, Array.isArray(onto) ? onto : []);
    }
    return parseWhole(token);
  }

  function parseFields(
    onto: JsonObject,
    parseField: (name: string, old: Json | undefined) => Json | undefined,
  ): JsonObject {
    const object = { ...onto };
    for (let key = next(); key.word !== '}' && key.word !== '';) {
      const name = JSON.parse(key.word) as string;
      const value = parseField(name, Object.hasOwn(object, name) ? object[name] : undefined);
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      key = next().word === ',' ? next() : { word: '', start: text.length };
    }
    return object;
  }

  function parseItems(of: FieldType, onto: readonly Json[]): Json[] {
    const items: Json[] = [];
    for (let token = next(); token.word !== ']' && token.word !== '';) {
      items.push(parse(token, of, onto[items.length]) ?? null);
      token = next().word === ',' ? next() : { word: '', start: text.length };
    }
    return items;
  }

  return parse(next(), { kind: 'struct', name: struct }, undefined) ?? null;
}

/** Whether null leaves a value of the type unchanged. */
function keepsNull({ kind }: FieldType): boolean {
  switch (kind) {
    case 'struct':
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return true;
    default:
      return false;
  }
}
