import type { $ZodType } from 'zod/v4/core';
import type { FieldProblem } from './problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Where in a definition a zod schema stands, and what it takes to write the schemas below it. */
export interface SchemaContext {
  /** `spec.ports[].name` */
  readonly path: string;
  /** The schemas that this one is part of: one that is among them is recursive. */
  readonly ancestors: readonly $ZodType[];
  /** Everything that is found wrong goes here, so that an author hears of all at once. */
  readonly problems: FieldProblem[];
  /** Writes a schema that is part of this one. */
  convert(schema: $ZodType, context: SchemaContext): StructuralSchema;
}

/** The context of what is called so below: `.name`, `[]`. */
export function below(context: SchemaContext, part: string): SchemaContext {
  const isFirst = context.path === '' && part.startsWith('.');
  return { ...context, path: isFirst ? part.slice(1) : `${context.path}${part}` };
}

/** Notes that something has no place in a structural schema, with what to do instead. */
export function refuse({ problems, path }: SchemaContext, message: string): StructuralSchema {
  problems.push({ path, message });
  return {};
}
