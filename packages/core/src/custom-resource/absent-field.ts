import { $ZodObject, safeParse, type $ZodType } from 'zod/v4/core';

/**
 * What zod makes of an object in which the field is missing: its default, undefined, or a failure. Asked within an object, since
 * `.exactOptional()` takes what is missing and not what is undefined.
 */
export function parseAbsent(field: $ZodType): ReturnType<typeof safeParse> {
  const parsed = safeParse(new $ZodObject({ type: 'object', shape: { field } }), {});
  return parsed.success ? { ...parsed, data: parsed.data.field } : parsed;
}
