import { type Json, type JsonObject, cloneJson, isObject } from '../meta/json.ts';
import { type SchemaNode, schemaOfField } from './schema-node.ts';

/*
 * Sets the defaults of a structural schema, in place, as
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting does. A field that is absent, or null where
 * null is not allowed, gets its default. A disallowed null without a default is removed, unless nulls are
 * kept so that validation refuses them.
 */
export function applyDefaults(
  value: Json | undefined,
  node: SchemaNode | undefined,
  keepsNulls = false,
): void {
  if (node === undefined) {
    return;
  }
  if (Array.isArray(value)) {
    const { items } = node;
    if (!isObject(items)) {
      return;
    }
    for (const [index, item] of value.entries()) {
      if (item === null && isDefaulted(items)) {
        value[index] = cloneJson(items.default ?? null);
      }
      applyDefaults(value[index], items, keepsNulls);
    }
    return;
  }
  if (!isObject(value)) {
    return;
  }
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const given = value[name];
    if (child.default !== undefined && (given === undefined || (given === null && child.nullable !== true))) {
      value[name] = cloneJson(child.default);
    }
  }
  for (const name of Object.keys(value)) {
    const child = schemaOfField(node, name);
    if (child === undefined) {
      continue;
    }
    if (value[name] === null && child.nullable !== true && !(keepsNulls && child.default === undefined)) {
      replaceNull(value, name, child);
    }
    applyDefaults(value[name], child, keepsNulls);
  }
}

function isDefaulted({ nullable, default: given }: SchemaNode): boolean {
  return nullable !== true && given !== undefined;
}

function replaceNull(value: JsonObject, name: string, { default: given }: SchemaNode): void {
  if (given === undefined) {
    Reflect.deleteProperty(value, name);
  } else {
    value[name] = cloneJson(given);
  }
}
