import { type Json, type JsonObject, isObject, withoutFields } from '../meta/json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { quantity } from './openapi-values.ts';
import { openapiParts } from './openapi.ts';
import { openapiV2Message } from './openapi-v2-protobuf.ts';

/*
 * OpenAPI v2 of all served resources. kubectl validates the items of a List by it, and older clients all
 * objects that they send. It can express less than v3: one type for each value, and no alternatives. Custom
 * kinds are published as in apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go.
 */

/** The media type of the document in protobuf. */
export const openapiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * The name by which Go clients ask for protobuf. It is not a valid media type, so no response can have it.
 */
const olderName = openapiV2Protobuf.replace('v2.v1', 'v2@v1');

/** Whether a client's Accept header asks for protobuf. */
export function asksForProtobuf(accept: string | undefined): boolean {
  return [openapiV2Protobuf, olderName].some((type) => accept?.includes(type) === true);
}

interface Forms {
  readonly json: string;
  /** Undefined until a client asks for protobuf. */
  protobuf?: Buffer;
}

/** Cached by the list of served resources. When that changes, new documents are made. */
const documents = new WeakMap<ResourceRegistry['all'], Forms>();

function formsOf(registry: ResourceRegistry): Forms {
  let forms = documents.get(registry.all);
  if (forms === undefined) {
    documents.set(registry.all, (forms = { json: JSON.stringify(document(registry)) }));
  }
  return forms;
}

export function openapiV2Json(registry: ResourceRegistry): string {
  return formsOf(registry).json;
}

/** The document in protobuf, as gnostic's OpenAPIv2.proto describes it. */
export function openapiV2Bytes(registry: ResourceRegistry): Buffer {
  const forms = formsOf(registry);
  return (forms.protobuf ??= openapiV2Message(JSON.parse(forms.json) as JsonObject));
}

function document(registry: ResourceRegistry): JsonObject {
  const { paths, schemas } = openapiParts(registry.all);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, withPlainParameters(item)])),
    definitions: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? definition(schema) : schema]),
    ),
  };
}

/** In v2, a parameter has its type next to its name, instead of in a schema. */
function withPlainParameters(item: Json | undefined): Json | undefined {
  if (!isObject(item)) {
    return item;
  }
  return Object.fromEntries(
    Object.entries(item).map(([verb, operation]) => {
      if (!isObject(operation) || !Array.isArray(operation['parameters'])) {
        return [verb, operation];
      }
      const parameters = operation['parameters'].map((parameter): Json => {
        const { schema, ...rest } = parameter as JsonObject;
        return isObject(schema) ? { ...rest, ...schema } : rest;
      });
      return [verb, { ...operation, parameters }];
    }),
  );
}

const prefix = '#/components/schemas/';

/**
 * Publishes nothing about a kind that keeps unknown fields, not even its metadata, because kubectl would
 * refuse all fields that the document does not name.
 */
function definition(schema: JsonObject): JsonObject {
  const kinds = 'x-kubernetes-group-version-kind';
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    return { type: 'object', [kinds]: schema[kinds] };
  }
  return schema === quantity.schema ? { ...converted(schema), type: 'string' } : converted(schema);
}

function converted(schema: JsonObject): JsonObject {
  const { allOf, oneOf, nullable, properties, items } = schema;
  const rest = withoutFields(schema, ['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'properties', 'items']);
  const referred =
    Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) ? allOf[0]['$ref'] : undefined;
  if (typeof referred === 'string') {
    return { $ref: `#/definitions/${referred.slice(prefix.length)}`, ...rest };
  }
  const out: JsonObject = { ...rest };
  if (typeof out['$ref'] === 'string') {
    out['$ref'] = `#/definitions/${out['$ref'].slice(prefix.length)}`;
  }
  if (out['format'] === 'int-or-string' && oneOf !== undefined) {
    out['type'] = 'string';
  }
  const isOpen = out['x-kubernetes-preserve-unknown-fields'] === true;
  const isNullable = nullable === true;
  // kubectl refuses fields that `properties` does not name, but accepts any value that has no type.
  if (!isOpen && !isNullable) {
    if (isObject(properties)) {
      out['properties'] = mapSchemas(properties);
      out['required'] = requiredOf(out['required'], properties);
    }
    if (isObject(items)) {
      out['items'] = converted(items);
    }
  }
  if (isObject(out['additionalProperties'])) {
    out['additionalProperties'] = converted(out['additionalProperties']);
  }
  const isBareList = out['type'] === 'array' && out['items'] === undefined;
  if (isNullable || isBareList || (isOpen && out['type'] === 'object')) {
    delete out['type'];
  }
  if (out['required'] === undefined) {
    delete out['required'];
  }
  return out;
}

function mapSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? converted(schema) : schema]),
  );
}

/** v2 cannot say that a field may be null, so such a field is not required. */
function requiredOf(required: Json | undefined, properties: JsonObject): Json | undefined {
  if (!Array.isArray(required)) {
    return required;
  }
  const kept = required.filter((name) => {
    const property = typeof name === 'string' ? properties[name] : undefined;
    return !isObject(property) || property['nullable'] !== true;
  });
  return kept.length === 0 ? undefined : kept;
}
