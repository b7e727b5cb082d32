import type { $ZodType, $ZodTypes } from 'zod/v4/core';
import { refuse, type SchemaContext } from './schema-context.ts';
import type { JsonValue } from '../json-value.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Returns the schema of an enum, whose values must all have one type. */
export function enumSchema(values: readonly unknown[], context: SchemaContext): StructuralSchema {
  if (values.includes(null)) {
    return refuse(context, nullInEnum);
  }
  const [type, ...moreTypes] = [...new Set(values.map((value) => typeof value))];
  const isPlain = type === 'string' || type === 'number' || type === 'boolean';
  if (!isPlain || moreTypes.length > 0) {
    return refuse(
      context,
      `the values ${values.map(String).join(', ')} are not of one type; allow texts alone, numbers alone or booleans alone`,
    );
  }
  return {
    type: type === 'number' ? (values.every(Number.isInteger) ? 'integer' : 'number') : type,
    enum: values as readonly JsonValue[],
  };
}

/** kube-apiserver 1.36 refused null both with and without null among the values of `enum`. */
const nullInEnum =
  'the API server refuses null for a value that is one of a few, nullable or not; use .optional(), and it drops null';

/**
 * Returns the schema of a union: null and another schema, an integer and a string, or values of one type.
 * Anything else is refused.
 */
export function unionSchema(options: readonly $ZodType[], context: SchemaContext): StructuralSchema {
  const others = options.filter((option) => !isNull(option));
  if (others.length < options.length && others.length > 0) {
    return nullableSchema(unionSchema(others, context), context);
  }
  const [first] = others;
  if (first !== undefined && others.length === 1) {
    return context.convert(first, context);
  }
  const values = others.map(valuesOf);
  if (values.every((each) => each !== undefined)) {
    return enumSchema([...new Set(values.flat())], context);
  }
  if (others.length === 2 && others.every((option) => ['number', 'string'].includes(typeOf(option)))) {
    const schemas = others.map((option) => context.convert(option, context));
    const integer = schemas.find(({ type }) => type === 'integer');
    const text = schemas.find(({ type }) => type === 'string');
    if (integer !== undefined && text !== undefined) {
      return intOrString(integer, text);
    }
  }
  return refuse(
    context,
    'of unions, a structural schema knows null and another, an integer and a string, and values of one type; ' +
      'for kinds of objects, give each a field of its own that is optional, and a rule in CEL that one is set',
  );
}

/** Returns the schema, made to accept null as well. */
export function nullableSchema(schema: StructuralSchema, context: SchemaContext): StructuralSchema {
  return schema.enum === undefined ? { ...schema, nullable: true } : refuse(context, nullInEnum);
}

/** Constraints of the integer apply only to integers, and constraints of the string only to strings. */
function intOrString(integer: StructuralSchema, text: StructuralSchema): StructuralSchema {
  const { minimum, maximum, multipleOf } = integer;
  const ofTexts = Object.fromEntries(Object.entries(text).filter(([field]) => field !== 'type'));
  return {
    'x-kubernetes-int-or-string': true,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(multipleOf === undefined ? {} : { multipleOf }),
    ...ofTexts,
  };
}

function typeOf(schema: $ZodType): string {
  return schema._zod.def.type;
}

function isNull(schema: $ZodType): boolean {
  return typeOf(schema) === 'null';
}

function valuesOf(schema: $ZodType): readonly unknown[] | undefined {
  const { def } = (schema as $ZodTypes)._zod;
  if ((def.checks ?? []).length > 0) {
    return undefined;
  }
  switch (def.type) {
    case 'enum':
      return enumValues(def.entries);
    case 'literal':
      return def.values;
    default:
      return undefined;
  }
}

/**
 * Returns the values of z.enum(). A numeric TypeScript enum also has its names as values; these are left out.
 */
export function enumValues(entries: Readonly<Record<string, string | number>>): readonly unknown[] {
  const numbers = new Set(Object.values(entries).filter((value) => typeof value === 'number'));
  return Object.entries(entries).flatMap(([name, value]) => (numbers.has(Number(name)) ? [] : [value]));
}
