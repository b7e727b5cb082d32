import { type Json, type JsonObject, isObject } from '../meta/json.ts';

/**
 * One node of an OpenAPI v3 schema as in apiextensions.k8s.io/v1 (JSONSchemaProps), unchanged from the
 * request.
 */
export interface SchemaNode extends JsonObject {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: Json;
  properties?: { [name: string]: SchemaNode };
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  required?: string[];
  enum?: Json[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ValidationRule[];
}

/** A rule in CEL. */
export interface ValidationRule extends JsonObject {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/**
 * Returns the schema of a field: the one for its name, otherwise the one for all other fields; undefined if
 * the node has neither.
 */
export function schemaOfField(node: SchemaNode, name: string): SchemaNode | undefined {
  const { properties, additionalProperties } = node;
  if (properties !== undefined && Object.hasOwn(properties, name)) {
    return properties[name];
  }
  return isObject(additionalProperties) ? additionalProperties : undefined;
}

/** Returns the child nodes of a node, each with its path as messages about a definition write it. */
export function childrenOf(node: SchemaNode, path: string): (readonly [path: string, child: SchemaNode])[] {
  const children: (readonly [string, SchemaNode])[] = [];
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    children.push([`${path}.properties[${name}]`, child]);
  }
  if (isObject(node.additionalProperties)) {
    children.push([`${path}.additionalProperties`, node.additionalProperties]);
  }
  if (isObject(node.items)) {
    children.push([`${path}.items`, node.items]);
  }
  return children;
}
