import { createHash } from 'node:crypto';
import { type JsonObject, isObject } from '../meta/json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, apiVersionOf } from '../resources/resource-definition.ts';
import { describeField, describeStruct } from '../schema/descriptions.ts';
import { metadataDescriptions, typeDescriptions } from '../schema/descriptions/meta.ts';
import { type FieldSchema, type FieldType, structSchema } from '../schema/schema.ts';
import { publishedValue } from './openapi-values.ts';

/*
 * OpenAPI v3 of the served resources, generated from the schema data: types with their merge rules and
 * descriptions, and the paths that kubectl looks up before it lets the server validate fields.
 */

/** Cached by the list of served resources. When that changes, new documents are made. */
const documents = new WeakMap<ResourceRegistry['all'], Map<string, string>>();

/** The JSON at a path below /openapi/v3; undefined if there is none. */
export function openapiDocument(registry: ResourceRegistry, path: string): string | undefined {
  let cache = documents.get(registry.all);
  if (cache === undefined) {
    documents.set(registry.all, (cache = new Map<string, string>()));
  }
  const known = cache.get(path);
  if (known !== undefined) {
    return known;
  }
  const written = write(registry, path);
  if (written !== undefined) {
    cache.set(path, written);
  }
  return written;
}

function write(registry: ResourceRegistry, path: string): string | undefined {
  if (path === '/openapi/v3') {
    return JSON.stringify({ paths: index(registry) });
  }
  const wanted = path.slice('/openapi/v3/'.length);
  const definitions = registry.all.filter((definition) => rootOf(definition) === wanted);
  if (definitions.length === 0) {
    return undefined;
  }
  return JSON.stringify(document(definitions));
}

function rootOf(definition: ResourceDefinition): string {
  return definition.group === '' ? `api/${definition.version}` : `apis/${apiVersionOf(definition)}`;
}

function index(registry: ResourceRegistry): JsonObject {
  const roots = [...new Set(registry.all.map(rootOf))];
  return Object.fromEntries(
    roots.map((root) => {
      const hash = createHash('sha512').update(root).digest('hex').slice(0, 32).toUpperCase();
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
    }),
  );
}

function document(definitions: readonly ResourceDefinition[]): JsonObject {
  const { paths, schemas } = openapiParts(definitions);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths,
    components: { schemas },
  };
}

/**
 * The operations of resources by their paths, and the schemas of their objects by the names of their types.
 */
export function openapiParts(definitions: readonly ResourceDefinition[]): {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
} {
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const definition of definitions) {
    if (definition.struct !== undefined) {
      addSchema(schemas, definition.struct);
      const schema = schemas[publishedName(definition.struct)] as JsonObject;
      schema['x-kubernetes-group-version-kind'] = [groupVersionKind(definition)];
    } else if (definition.schema !== undefined) {
      addCustomSchema(schemas, definition, definition.schema);
    }
    const scope = definition.namespaced ? '/namespaces/{namespace}' : '';
    const collection = `/${rootOf(definition)}${scope}/${definition.plural}`;
    paths[collection] = { get: operation(definition, []), post: operation(definition, writeParameters) };
    paths[`${collection}/{name}`] = {
      get: operation(definition, []),
      put: operation(definition, writeParameters),
      patch: operation(definition, [...writeParameters, 'force']),
      delete: operation(definition, ['dryRun', 'gracePeriodSeconds', 'propagationPolicy']),
    };
  }
  return { paths, schemas };
}

const typeFields = {
  apiVersion: { type: 'string', description: typeDescriptions.apiVersion },
  kind: { type: 'string', description: typeDescriptions.kind },
} as const;

/** Publishes a custom kind with the schema of its definition, and with the fields that all objects have. */
function addCustomSchema(schemas: JsonObject, definition: ResourceDefinition, schema: JsonObject): void {
  const { group, version, kind, listKind = `${kind}List` } = definition;
  const name = [...group.split('.').toReversed(), version].join('.');
  addSchema(schemas, 'meta.v1.ObjectMeta');
  addSchema(schemas, 'meta.v1.ListMeta');
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  schemas[`${name}.${kind}`] = {
    ...schema,
    type: 'object',
    properties: {
      ...properties,
      ...typeFields,
      metadata: {
        ...referenceTo(publishedName('meta.v1.ObjectMeta')),
        description: metadataDescriptions['meta.v1.ObjectMeta'],
      },
    },
    'x-kubernetes-group-version-kind': [groupVersionKind(definition)],
  };
  schemas[`${name}.${listKind}`] = {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeFields,
      items: {
        description: `The ${definition.plural} of the list.`,
        type: 'array',
        items: referenceTo(`${name}.${kind}`),
      },
      metadata: {
        ...referenceTo(publishedName('meta.v1.ListMeta')),
        description: metadataDescriptions['meta.v1.ListMeta'],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  };
}

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'];

function operation(definition: ResourceDefinition, parameters: readonly string[]): JsonObject {
  const described = parameters.map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }));
  return {
    // Go clients do not write empty lists, and compare what they write with what they read.
    ...(described.length === 0 ? undefined : { parameters: described }),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-group-version-kind': groupVersionKind(definition),
  };
}

function groupVersionKind({ group, version, kind }: ResourceDefinition): JsonObject {
  return { group, version, kind };
}

/**
 * The published name of a struct: io.k8s.api.core.v1.Pod for core.v1.Pod, and for types of meta/v1
 * io.k8s.apimachinery.pkg.apis.meta.v1.
 */
function publishedName(struct: string): string {
  if (struct.startsWith('apiextensions.')) {
    return `io.k8s.apiextensions-apiserver.pkg.apis.${struct}`;
  }
  if (struct.startsWith('apiregistration.')) {
    return `io.k8s.kube-aggregator.pkg.apis.${struct}`;
  }
  return struct.startsWith('meta.') ? `io.k8s.apimachinery.pkg.apis.${struct}` : `io.k8s.api.${struct}`;
}

function addSchema(schemas: JsonObject, struct: string): void {
  const name = publishedName(struct);
  if (schemas[name] !== undefined) {
    return;
  }
  const { fields, byName, atomic } = structSchema(struct);
  const isKind = byName.has('apiVersion') && byName.has('kind') && byName.has('metadata');
  const about = describeStruct(struct);
  const properties: JsonObject = {};
  const schema: JsonObject = {
    ...(about === undefined ? undefined : { description: about }),
    type: 'object',
    ...(fields.length === 0 ? undefined : { properties }),
  };
  schemas[name] = schema;
  const required = fields.filter((field) => field.required).map((field) => field.name);
  if (required.length > 0) {
    schema['required'] = required;
  }
  if (atomic) {
    schema['x-kubernetes-map-type'] = 'atomic';
  }
  for (const field of fields) {
    const inner = field.type.kind === 'struct' ? field.type.name : undefined;
    const description = describeField(struct, field.name, inner, isKind);
    properties[field.name] = {
      ...(description === undefined ? undefined : { description }),
      ...property(schemas, struct, field),
    };
  }
}

function property(schemas: JsonObject, struct: string, field: FieldSchema): JsonObject {
  const schema = typeSchema(schemas, field.type, struct, field.name);
  const rules: JsonObject = {};
  if (schema['type'] === 'array') {
    rules['x-kubernetes-list-type'] = field.listType;
    if (field.listMapKeys.length > 0) {
      rules['x-kubernetes-list-map-keys'] = [...field.listMapKeys];
    }
  }
  if (field.patchMerge || field.patchRetainKeys) {
    const strategies = [field.patchMerge ? 'merge' : '', field.patchRetainKeys ? 'retainKeys' : ''];
    rules['x-kubernetes-patch-strategy'] = strategies.filter((strategy) => strategy !== '').join(',');
  }
  if (field.patchMergeKey !== undefined) {
    rules['x-kubernetes-patch-merge-key'] = field.patchMergeKey;
  }
  if (field.atomicMap) {
    rules['x-kubernetes-map-type'] = 'atomic';
  }
  if (field.values.length > 0) {
    rules['enum'] = [...field.values];
  }
  if (field.defaultValue !== undefined) {
    rules['default'] = field.defaultValue;
  }
  return { ...schema, ...rules };
}

/** @param struct that has the field; the field has the type */
function typeSchema(schemas: JsonObject, type: FieldType, struct: string, field: string): JsonObject {
  switch (type.kind) {
    case 'string':
    case 'duration':
      return { type: 'string' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type.kind };
    case 'float64':
      return { type: 'number', format: 'double' };
    case 'quantity':
    case 'intorstring':
    case 'time':
    case 'microtime':
    case 'raw': {
      const { name, schema } = publishedValue(type.kind, struct, field);
      schemas[name] = schema;
      return referenceTo(name);
    }
    case 'pointer':
      return typeSchema(schemas, type.of, struct, field);
    case 'list':
      return { type: 'array', items: typeSchema(schemas, type.of, struct, field) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(schemas, type.of, struct, field) };
    case 'struct':
      addSchema(schemas, type.name);
      return referenceTo(publishedName(type.name));
  }
}

function referenceTo(name: string): JsonObject {
  return { allOf: [{ $ref: `#/components/schemas/${name}` }] };
}
