import { isRecord } from './json-value.ts';
import { schemaOfField, type StructuralSchema } from './structural-schema.ts';

/**
 * The value without the nulls that the API server drops before it looks at anything: those of fields that are not nullable. zod would refuse
 * them. What is there stays as it is; the given value is not changed.
 */
export function withoutNulls(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (schema === undefined) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withoutNulls(item, schema.items));
  }
  if (!isRecord(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const child = schemaOfField(schema, name);
      const isDropped = item === null && child !== undefined && child.nullable !== true;
      return isDropped ? [] : [[name, withoutNulls(item, child)] as const];
    }),
  );
}
