import type { JsonObject } from '../meta/json.ts';
import type { FieldType } from '../schema/schema.ts';

/*
 * The named types that OpenAPI publishes for values that are not structs in JSON. kubectl explain shows their
 * names.
 */

export interface PublishedValue {
  /** The name by which other schemas refer to the type. */
  readonly name: string;
  readonly schema: JsonObject;
}

export const quantity: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  schema: {
    description: 'An amount as a decimal number and a unit, such as 0.5, 250m, 64Mi or 2G.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
};

const intOrString: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  schema: {
    description: 'A whole number, or a text such as a name or a percentage.',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    format: 'int-or-string',
  },
};

const time: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
  schema: {
    description: 'A point in time to the second, such as 2026-01-31T08:30:00Z.',
    type: 'string',
    format: 'date-time',
  },
};

const microTime: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
  schema: {
    description: 'A point in time to the microsecond, such as 2026-01-31T08:30:00.000000Z.',
    type: 'string',
    format: 'date-time',
  },
};

const rawExtension: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  schema: { description: 'An object of any kind.', type: 'object' },
};

const fieldsV1: PublishedValue = {
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  schema: { description: 'A set of fields, as nested objects whose keys name them.', type: 'object' },
};

/** A type that the schemas in CustomResourceDefinitions use. */
function ofJsonSchema(name: string, description: string): PublishedValue {
  return {
    name: `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${name}`,
    schema: { description },
  };
}

const anyJson = ofJsonSchema('JSON', 'Any value of JSON.');
const schemaOrBool = ofJsonSchema('JSONSchemaPropsOrBool', 'A schema, or whether anything is allowed.');

/** The fields that hold arbitrary values, by struct and field. All other `raw` fields hold objects. */
const anyValues: Readonly<Record<string, PublishedValue>> = {
  'meta.v1.ManagedFieldsEntry fieldsV1': fieldsV1,
  'apiextensions.v1.JSONSchemaProps default': anyJson,
  'apiextensions.v1.JSONSchemaProps example': anyJson,
  'apiextensions.v1.JSONSchemaProps enum': anyJson,
  'apiextensions.v1.JSONSchemaProps additionalItems': schemaOrBool,
  'apiextensions.v1.JSONSchemaProps additionalProperties': schemaOrBool,
  'apiextensions.v1.JSONSchemaProps items': ofJsonSchema(
    'JSONSchemaPropsOrArray',
    'A schema, or a list of schemas.',
  ),
  'apiextensions.v1.JSONSchemaProps dependencies': ofJsonSchema(
    'JSONSchemaPropsOrStringArray',
    'A schema, or a list of texts.',
  ),
};

/** The published type for a kind of value in a field of a struct. */
export function publishedValue(
  kind: Extract<FieldType['kind'], 'quantity' | 'intorstring' | 'time' | 'microtime' | 'raw'>,
  struct: string,
  field: string,
): PublishedValue {
  switch (kind) {
    case 'quantity':
      return quantity;
    case 'intorstring':
      return intOrString;
    case 'time':
      return time;
    case 'microtime':
      return microTime;
    case 'raw':
      return anyValues[`${struct} ${field}`] ?? rawExtension;
  }
}
