import { type Json, isObject } from '../meta/json.ts';
import { structSchema } from './schema.ts';

/**
 * Gives the fields of a struct and of everything below it their names of JSON. Go reads and writes its
 * internal types, which have no such names, by the names of their Go fields, and does not tell upper from
 * lower case when it reads. Drops unknown fields.
 */
export function namedAsInJson(struct: string, value: Json): Json {
  if (!isObject(value)) {
    return value;
  }
  const { fields } = structSchema(struct);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const field = fields.find(({ name }) => name.toLowerCase() === key.toLowerCase());
      if (field === undefined || item === undefined) {
        return [];
      }
      const { type } = field;
      const inner = type.kind === 'pointer' || type.kind === 'list' ? type.of : type;
      const named = (each: Json): Json => (inner.kind === 'struct' ? namedAsInJson(inner.name, each) : each);
      return [[field.name, Array.isArray(item) ? item.map(named) : named(item)]];
    }),
  );
}
