import { globalRegistry, type $ZodType } from 'zod/v4/core';
import { isJson, isRecord } from '../json-value.ts';
import { refuse, type SchemaContext } from './schema-context.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

/**
 * What `.meta()` of a zod schema can say for the API server, in addition to `title` and `description`.
 *
 * Only the API server checks these (formats, rules, lists that are sets); zod does not.
 */
export interface KubernetesMeta {
  /**
   * For strings: a format that kube-apiserver checks, such as `date-time`, `uri`, `ipv6` or `byte`. It
   * accepts every text for an unknown format.
   */
  readonly format?: string;
  /** For objects and records. */
  readonly minProperties?: number;
  /**
   * For objects and records. API servers refuse rules in CEL on unlimited objects because of their possible
   * cost.
   */
  readonly maxProperties?: number;
  /** For objects that have an apiVersion, kind and metadata of their own. */
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  /** For arrays. Default: atomic. */
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  /** For arrays whose list type is `map`. */
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  /** For objects. Default: granular. */
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

const rulesField = 'x-kubernetes-validations';

/** The fields of {@link KubernetesMeta}, with the types of schema that can have them. */
const fields: Readonly<Record<string, readonly StructuralSchema['type'][]>> = {
  format: ['string'],
  minProperties: ['object'],
  maxProperties: ['object'],
  'x-kubernetes-embedded-resource': ['object'],
  'x-kubernetes-list-type': ['array'],
  'x-kubernetes-list-map-keys': ['array'],
  'x-kubernetes-map-type': ['object'],
};

/** The formats in k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go. */
const formats: ReadonlySet<unknown> = new Set(
  (
    'bsonobjectid byte cidr creditcard date date-time datetime duration email hexcolor hostname ipv4 ipv6 isbn isbn10 isbn13 ' +
    'k8s-long-name k8s-short-name mac password rgbcolor ssn uri uuid uuid3 uuid4 uuid5'
  ).split(' '),
);

/** Returns whether a schema, or one that wraps it, has rules in CEL. */
export function hasRules(schemas: readonly $ZodType[]): boolean {
  return schemas.some((schema) => globalRegistry.get(schema)?.[rulesField] !== undefined);
}

/**
 * Adds to a schema what `.meta()` says about it.
 *
 * @param schemas the wrappers of the zod schema, outermost first, and then the schema itself. The outer one
 *   wins; rules of all of them are kept.
 */
export function withMeta(
  written: StructuralSchema,
  schemas: readonly $ZodType[],
  context: SchemaContext,
): StructuralSchema {
  const said: Record<string, unknown> = {};
  const rules: unknown[] = [];
  for (const meta of schemas.map((schema) => globalRegistry.get(schema) ?? {})) {
    const { title, description, [rulesField]: ownRules = [], ...others } = meta;
    rules.push(...rulesOf(ownRules, rules, context));
    for (const [field, value] of Object.entries({ title, description, ...others })) {
      if (value !== undefined && isForServer(field, value, written, context)) {
        said[field] ??= value;
      }
    }
  }
  const { title, description, ...constraints } = said;
  const result = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...written,
    ...constraints,
    ...(rules.length === 0 ? {} : { [rulesField]: rules }),
  } as StructuralSchema;
  checkList(result, context);
  return result;
}

function rulesOf(given: unknown, before: readonly unknown[], context: SchemaContext): readonly unknown[] {
  if (
    !Array.isArray(given) ||
    !given.every((rule) => isRecord(rule) && isJson(rule) && typeof rule['rule'] === 'string')
  ) {
    refuse(
      context,
      `${rulesField} is not a list of rules; give [{ rule: 'self.min <= self.max', message: '...' }]`,
    );
    return [];
  }
  // zod copies the rules to a schema that a check or a wrapper makes from another.
  return given.filter((rule) => !before.includes(rule));
}

function isForServer(
  field: string,
  value: unknown,
  { type }: StructuralSchema,
  context: SchemaContext,
): boolean {
  if (field === 'title' || field === 'description') {
    return true;
  }
  const types = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (types === undefined) {
    if (field.startsWith('x-kubernetes-')) {
      const hint =
        field === 'x-kubernetes-preserve-unknown-fields'
          ? 'z.looseObject() or z.unknown()'
          : 'z.union([z.int(), z.string()])';
      const known =
        field === 'x-kubernetes-int-or-string' || field === 'x-kubernetes-preserve-unknown-fields';
      refuse(
        context,
        known
          ? `.meta() can't say ${field}, since zod would not know; use ${hint}`
          : `.meta() has no field ${field}; there are ${[...Object.keys(fields), rulesField].join(', ')}`,
      );
    }
    return false;
  }
  if (!types.includes(type)) {
    refuse(
      context,
      `.meta() says ${field}, which is for ${types.join()} only; this is ${type ?? 'of any type'}`,
    );
    return false;
  }
  if (field === 'format' && !formats.has(value)) {
    refuse(
      context,
      `.meta() says format ${JSON.stringify(value)}, which the API server does not check; it checks ${[...formats].join(', ')}`,
    );
    return false;
  }
  if (!isJson(value)) {
    refuse(context, `.meta() says ${field}, whose value is not JSON`);
    return false;
  }
  return true;
}

/** Checks what the API server requires of lists that are maps or sets; problems name the path of the list. */
function checkList(schema: StructuralSchema, context: SchemaContext): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const { items = {} } = schema;
  if ((listType === 'map') !== keys.length > 0) {
    refuse(context, `x-kubernetes-list-type: map and x-kubernetes-list-map-keys belong together; give both`);
    return;
  }
  if (items.nullable === true && (listType === 'map' || listType === 'set')) {
    refuse(context, `items of a ${listType} can't be nullable`);
  }
  for (const key of keys) {
    const field = items.properties?.[key];
    if (field === undefined || field.type === 'object' || field.type === 'array') {
      refuse(
        context,
        `x-kubernetes-list-map-keys names ${key}; give fields of the items that are a text, a number or a boolean`,
      );
    } else if (field.default === undefined && items.required?.includes(key) !== true) {
      refuse(context, `${key} is a key of this list, but optional; require it or give it a default`);
    }
  }
  if (listType === 'set' && items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    refuse(
      context,
      `items of a set are compared whole; give them .meta({ 'x-kubernetes-map-type': 'atomic' })`,
    );
  }
}
