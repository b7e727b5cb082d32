import { safeParse, type $ZodType } from 'zod/v4/core';
import { parseAbsent } from './absent-field.ts';
import { isJson, isSameJson, type JsonValue } from '../json-value.ts';
import { below, refuse, type SchemaContext } from './schema-context.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Returns the schema of an object with these fields. The API server drops all other fields. */
export function fieldsSchema(
  shape: Readonly<Record<string, $ZodType>>,
  context: SchemaContext,
): StructuralSchema {
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const at = below(context, `.${name}`);
    if (!isZod(field)) {
      properties[name] = refuse(at, 'it is no schema of zod 4; give one such as z.string()');
      continue;
    }
    const problems = at.problems.length;
    const schema = at.convert(field, at);
    properties[name] = schema;
    if (field._zod.optin === undefined) {
      required.push(name);
    } else if (at.problems.length === problems) {
      properties[name] = withDefault(schema, field, at);
    }
  }
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

/** False for what only the compiler refuses, such as a schema of zod 3, or none at all. */
function isZod(field: unknown): boolean {
  return typeof field === 'object' && field !== null && '_zod' in field;
}

/**
 * Adds to the schema the value that zod uses for a missing field.
 *
 * The API server first fills in a default as it stands, and then the defaults of fields missing within it. So
 * the default must equal what zod itself makes of it.
 */
function withDefault(schema: StructuralSchema, field: $ZodType, context: SchemaContext): StructuralSchema {
  const absent = parseAbsent(field);
  const given = absent.data;
  if (absent.success && given === undefined) {
    return schema;
  }
  const again = safeParse(field, given);
  const anew = parseAbsent(field);
  if (!again.success) {
    return refuse(context, 'its default is not valid by its own schema; give a valid one');
  }
  if (given === null) {
    return refuse(context, 'a default can not be null; use .optional(), and take what is missing for null');
  }
  if (!isJson(given)) {
    return refuse(context, 'its default is not JSON; give texts, numbers, booleans, lists and plain objects');
  }
  if (!isSameJson(given, anew.data)) {
    return refuse(context, 'its default is another each time; give one, or set it in a webhook');
  }
  if (!isSameJson(given, again.data)) {
    return refuse(
      context,
      'its default lacks what the schema fills in, or has fields that it does not know; use .prefault() instead of .default()',
    );
  }
  return { ...schema, default: given satisfies JsonValue };
}
