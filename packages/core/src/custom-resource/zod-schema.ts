import type { $ZodCheck, $ZodObject, $ZodRecord, $ZodType, $ZodTypes } from 'zod/v4/core';
import { numberSchema } from './number-schema.ts';
import { fieldsSchema } from './object-schema.ts';
import type { FieldProblem } from './problem.ts';
import { below, refuse, type SchemaContext } from './schema-context.ts';
import { hasRules, withMeta } from './schema-meta.ts';
import { patternSchema, refuseCheck, stringSchema } from './string-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { enumSchema, enumValues, nullableSchema, unionSchema } from './union-schema.ts';

/**
 * Returns the structural schema equivalent to a zod schema: the API server accepts a value if and only if zod
 * does, and fills in the same defaults and drops the same fields.
 *
 * What such a schema cannot express is refused. What `.meta()` adds is checked by the API server alone.
 *
 * @param path of the value, for problems.
 * @param problems receives what was refused. If it receives any, the returned schema must not be used.
 */
export function structuralSchemaOf(
  schema: $ZodType,
  path: string,
  problems: FieldProblem[],
): StructuralSchema {
  return convert(schema, { path, ancestors: [], problems, convert });
}

function convert(schema: $ZodType, outside: SchemaContext): StructuralSchema {
  const { inner, wrappers, isNullable } = unwrapped(schema);
  const layers = [...wrappers, inner];
  if (outside.ancestors.includes(inner)) {
    return refuse(
      outside,
      'the schema is part of itself, and a structural schema is finite; use z.unknown() from some depth on',
    );
  }
  const context = { ...outside, ancestors: [...outside.ancestors, inner] };
  const isRuled = hasRules(layers);
  const checks = checksOf(inner).filter((check) => !isCustom(check) || !isRuled);
  for (const check of wrappers.flatMap(checksOf)) {
    if (!isCustom(check) || !isRuled) {
      refuseCheck(check._zod.def.check, context);
    }
  }
  const written = constraintsOf(inner as $ZodTypes, checks, context);
  return withMeta(isNullable ? nullableSchema(written, context) : written, layers, context);
}

interface Unwrapped {
  readonly inner: $ZodType;
  /** Outermost first. */
  readonly wrappers: readonly $ZodType[];
  readonly isNullable: boolean;
}

/**
 * Removes the wrappers that only say whether the value can be missing or null. For a field, zod itself is
 * asked whether it can be missing.
 */
function unwrapped(schema: $ZodType): Unwrapped {
  const wrappers: $ZodType[] = [];
  let inner = schema;
  let isNullable = false;
  for (;;) {
    const { def } = (inner as $ZodTypes)._zod;
    switch (def.type) {
      case 'nullable':
        isNullable = true;
        break;
      case 'optional':
      case 'nonoptional':
      case 'default':
      case 'prefault':
      case 'readonly':
        break;
      default:
        return { inner, wrappers, isNullable };
    }
    wrappers.push(inner);
    inner = def.innerType;
  }
}

/** Returns the checks of a schema. A format such as z.int() or z.uuid() is itself a check. */
function checksOf(schema: $ZodType): readonly $ZodCheck[] {
  const { def } = schema._zod;
  const isFormat = 'check' in def && def.type !== 'custom';
  const checks = [...(isFormat ? [schema as unknown as $ZodCheck] : []), ...(def.checks ?? [])];
  return checks.filter((check) => !isMeta(check));
}

/** zod/mini has checks that carry only metadata and check nothing. */
function isMeta(check: $ZodCheck): boolean {
  return ['describe', 'meta'].includes(check._zod.def.check);
}

function isCustom(check: $ZodCheck): boolean {
  return check._zod.def.check === 'custom';
}

/** Returns the constraints on a value that is present and not null, apart from those in `.meta()`. */
function constraintsOf(
  schema: $ZodTypes,
  checks: readonly $ZodCheck[],
  context: SchemaContext,
): StructuralSchema {
  const { def } = schema._zod;
  if ('coerce' in def && def.coerce) {
    return refuse(
      context,
      'z.coerce changes the value, and the API server takes it as it is; use the schema without it',
    );
  }
  switch (def.type) {
    case 'string':
      return stringSchema(checks, context);
    case 'number':
      return numberSchema(checks, context);
    case 'array':
      return arraySchema(def.element, checks, context);
    default:
      checks.forEach((check) => refuseCheck(check._zod.def.check, context));
      return plainSchema(schema, context);
  }
}

/** Converts a schema of a type that has no checks of its own. */
function plainSchema(schema: $ZodTypes, context: SchemaContext): StructuralSchema {
  const { def } = schema._zod;
  switch (def.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'object':
      return objectSchema(schema as $ZodObject, context);
    case 'record':
      return recordSchema(schema as $ZodRecord, context);
    case 'enum':
      return enumSchema(enumValues(def.entries), context);
    case 'literal':
      return enumSchema(def.values, context);
    case 'union':
      return def.inclusive === false && !('discriminator' in def)
        ? refuse(context, 'z.xor() has no place in a structural schema; use z.union()')
        : unionSchema(def.options, context);
    case 'intersection':
      return intersectionSchema(def.left, def.right, context);
    case 'template_literal':
      return patternSchema(schema, context);
    case 'lazy':
      return convert(def.getter(), context);
    case 'any':
    case 'unknown':
      // Without `nullable` the API server would drop the field if it is null.
      return { 'x-kubernetes-preserve-unknown-fields': true, nullable: true };
    default:
      return refuse(
        context,
        unsupported[def.type] ??
          `z.${def.type}() has no place in a structural schema; describe the JSON of the value`,
      );
  }
}

const inProgram =
  'the API server does not run it; take the value as it is stored, and change it in the program';
const notJson = 'JSON has no such value';

const unsupported: Readonly<Record<string, string>> = {
  bigint: `z.bigint(): ${notJson}; use z.int(), or z.string().regex(/^[0-9]+$/)`,
  catch: 'z.catch() takes what is not valid, and the API server refuses it; use .default()',
  custom: `z.custom() is code that the API server does not have; describe the value, or use z.unknown()`,
  date: `z.date(): ${notJson}; use z.iso.datetime(), or z.string().meta({ format: 'date-time' })`,
  map: `z.map(): ${notJson}; use z.record(z.string(), ...)`,
  never: 'z.never() takes nothing; leave the field out, and the API server drops it',
  null: 'z.null() alone has no type; leave the field out, or use .nullable()',
  pipe: `z.pipe() and z.preprocess() change the value; ${inProgram}`,
  set: `z.set(): ${notJson}; use z.array(...).meta({ 'x-kubernetes-list-type': 'set' })`,
  transform: `.transform() changes the value; ${inProgram}`,
  tuple:
    'z.tuple() has no place in a structural schema; use an object with a field for each part, or z.array(...).length(n)',
  undefined: `z.undefined(): ${notJson}; use .optional()`,
  void: `z.void(): ${notJson}; use .optional()`,
};

function arraySchema(
  element: $ZodType,
  checks: readonly $ZodCheck[],
  context: SchemaContext,
): StructuralSchema {
  // Checks of list lengths are those of string lengths under other names.
  const { minLength, maxLength } = stringSchema(checks, context);
  const at = below(context, '[]');
  return {
    type: 'array',
    items: convert(element, at),
    ...(minLength === undefined ? {} : { minItems: minLength }),
    ...(maxLength === undefined ? {} : { maxItems: maxLength }),
  };
}

function objectSchema(schema: $ZodObject, context: SchemaContext): StructuralSchema {
  const { shape, catchall } = schema._zod.def;
  const fields = fieldsSchema(shape, context);
  if (catchall === undefined) {
    return fields;
  }
  switch (catchall._zod.def.type) {
    case 'unknown':
    case 'any':
      return { ...fields, 'x-kubernetes-preserve-unknown-fields': true };
    case 'never':
      return refuse(
        context,
        'z.strictObject() refuses fields that it does not know, and the API server drops them; use z.object()',
      );
    default:
      if (Object.keys(shape).length > 0) {
        return refuse(
          context,
          '.catchall() beside fields has no place in a structural schema; put the others into a z.record() of their own',
        );
      }
      return { type: 'object', additionalProperties: convert(catchall, below(context, '.*')) };
  }
}

function recordSchema(schema: $ZodRecord, context: SchemaContext): StructuralSchema {
  const { keyType, valueType, mode } = schema._zod.def;
  const { def } = keyType._zod;
  if (
    def.type !== 'string' ||
    mode === 'loose' ||
    checksOf(keyType).length > 0 ||
    ('coerce' in def && def.coerce)
  ) {
    return refuse(
      context,
      'the keys of a record are any texts in a structural schema; use z.record(z.string(), ...) with a rule in CEL, or z.object() for keys that are known',
    );
  }
  return { type: 'object', additionalProperties: convert(valueType, below(context, '.*')) };
}

/** Merges two objects without a field in common into one object with the fields of both. */
function intersectionSchema(left: $ZodType, right: $ZodType, context: SchemaContext): StructuralSchema {
  const problems = context.problems.length;
  const parts = [left, right].map((part) => convert(part, context));
  if (context.problems.length > problems) {
    return {};
  }
  const [one = {}, other = {}] = parts;
  const shared = Object.keys(one.properties ?? {}).filter((name) =>
    Object.hasOwn(other.properties ?? {}, name),
  );
  const mergeable = new Set(['type', 'required', 'properties']);
  const isMergeable = parts.every(
    (part) => part.type === 'object' && Object.keys(part).every((field) => mergeable.has(field)),
  );
  if (!isMergeable || shared.length > 0) {
    const why =
      shared.length > 0 ? `both have ${shared.join(', ')}` : 'they are not plain objects without .meta()';
    return refuse(
      context,
      `the two sides of z.intersection() can't be made one: ${why}; write one object, or use .extend()`,
    );
  }
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: { ...one.properties, ...other.properties },
  };
}
