import { isObject } from '../meta/json.ts';
import { type SchemaNode, childrenOf } from '../structural/schema-node.ts';

type PlacedSchema = readonly [path: string, schema: SchemaNode];

/** The schemas of `allOf`, `anyOf`, `oneOf` and `not`, which may only restrict values. */
export function combinedSchemas(node: SchemaNode, path: string): PlacedSchema[] {
  return ['allOf', 'anyOf', 'oneOf', 'not'].flatMap((field) => {
    const value = node[field];
    const schemas = Array.isArray(value) ? value : isObject(value) ? [value] : [];
    return schemas.flatMap((schema, index) =>
      isObject(schema)
        ? [[`${path}.${field}${Array.isArray(value) ? `[${index}]` : ''}`, schema as SchemaNode] as const]
        : [],
    );
  });
}

/** The schema and all schemas below it. */
export function allBelow(node: SchemaNode, path: string): PlacedSchema[] {
  const below = [...combinedSchemas(node, path), ...childrenOf(node, path)];
  return [[path, node], ...below.flatMap(([at, schema]) => allBelow(schema, at))];
}
