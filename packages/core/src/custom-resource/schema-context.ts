import type { $ZodType } from 'zod/v4/core';
import type { FieldProblem } from './problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** Where a zod schema stands in a definition, and what is needed to convert the schemas below it. */
export interface SchemaContext {
  /** `spec.ports[].name` */
  readonly path: string;
  /** The schemas around this one. A schema that is among its own ancestors is recursive. */
  readonly ancestors: readonly $ZodType[];
  /** Collects every problem, so that the author learns of all of them at once. */
  readonly problems: FieldProblem[];
  /** Converts a schema that is part of this one. */
  convert(schema: $ZodType, context: SchemaContext): StructuralSchema;
}

/** Returns the context of a part below, such as `.name` or `[]`. */
export function below(context: SchemaContext, part: string): SchemaContext {
  const isFirst = context.path === '' && part.startsWith('.');
  return { ...context, path: isFirst ? part.slice(1) : `${context.path}${part}` };
}

/** Records that something cannot be expressed in a structural schema, and what to do instead. */
export function refuse({ problems, path }: SchemaContext, message: string): StructuralSchema {
  problems.push({ path, message });
  return {};
}
