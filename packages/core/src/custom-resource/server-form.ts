import { isRecord } from '../json-value.ts';
import { schemaOfField, type StructuralSchema } from './structural-schema.ts';

/**
 * Returns the value without the nulls in fields that are not nullable. The API server drops those before it
 * validates, whereas zod would refuse them. All else stays, and the given value is not changed.
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
