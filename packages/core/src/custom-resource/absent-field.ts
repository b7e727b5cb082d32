import { $ZodObject, safeParse, type $ZodType } from 'zod/v4/core';

/**
 * Returns what zod makes of an object that lacks the field: the field's default, undefined, or a failure.
 *
 * It parses a whole object because `.exactOptional()` accepts a missing field but not one that is undefined.
 */
export function parseAbsent(field: $ZodType): ReturnType<typeof safeParse> {
  const parsed = safeParse(new $ZodObject({ type: 'object', shape: { field } }), {});
  return parsed.success ? { ...parsed, data: parsed.data.field } : parsed;
}
