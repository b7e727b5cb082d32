import type { $ZodCheck, $ZodChecks, $ZodStringFormatChecks, $ZodType } from 'zod/v4/core';
import { re2Pattern } from './re2-pattern.ts';
import { refuse, type SchemaContext } from './schema-context.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** zod's formats that zod checks by more than a pattern, with what to use instead. */
const decidedByCode: Readonly<Record<string, string>> = {
  url: `z.string().meta({ format: 'uri' })`,
  ipv6: `z.string().meta({ format: 'ipv6' })`,
  cidrv6: `z.string().meta({ format: 'cidr' })`,
  base64: `z.string().meta({ format: 'byte' })`,
  base64url: 'z.string().regex() with the characters that are allowed',
  credit_card: 'z.string().regex()',
  hostname: `z.string().meta({ format: 'hostname' })`,
  iban: 'z.string().regex()',
  jwt: 'z.string()',
};

/** zod's formats whose pattern needs look-ahead, with a plain alternative. */
const alternatives: Readonly<Record<string, string>> = {
  duration: `z.string().meta({ format: 'duration' })`,
};

/** @param checks of the zod schema. A format is itself among its checks. */
export function stringSchema(checks: readonly $ZodCheck[], context: SchemaContext): StructuralSchema {
  let minLength = 0;
  let maxLength = Infinity;
  const patterns: string[] = [];
  for (const check of checks) {
    const { def } = (check as $ZodChecks)._zod;
    switch (def.check) {
      case 'min_length':
        minLength = Math.max(minLength, def.minimum);
        break;
      case 'max_length':
        maxLength = Math.min(maxLength, def.maximum);
        break;
      case 'length_equals':
        minLength = Math.max(minLength, def.length);
        maxLength = Math.min(maxLength, def.length);
        break;
      case 'string_format':
        patterns.push(...patternOf(check as $ZodStringFormatChecks, context));
        break;
      default:
        refuseCheck(def.check, context);
    }
  }
  const [pattern, ...more] = [...new Set(patterns)];
  return {
    type: 'string',
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < Infinity ? { maxLength } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    ...(more.length === 0 ? {} : { allOf: more.map((each) => ({ pattern: each })) }),
  };
}

/** Converts a string described by one whole pattern, such as z.templateLiteral(). */
export function patternSchema(schema: $ZodType, context: SchemaContext): StructuralSchema {
  const { pattern } = schema._zod;
  const translated = pattern === undefined ? [] : translate(pattern, undefined, context);
  return { type: 'string', ...(translated[0] === undefined ? {} : { pattern: translated[0] }) };
}

/** Records that a check cannot be expressed in a structural schema. */
export function refuseCheck(check: string, context: SchemaContext): void {
  switch (check) {
    case 'custom':
      refuse(
        context,
        '.refine() is code that the API server does not have; say the same as a rule in CEL beside it, ' +
          `.meta({ 'x-kubernetes-validations': [{ rule: '...' }] })`,
      );
      break;
    case 'overwrite':
      refuse(
        context,
        'the API server changes no values (trim, toLowerCase, normalize); refuse what is not in form by .regex()',
      );
      break;
    default:
      refuse(
        context,
        `the check ${check} has no place in a structural schema; leave it out, or say it by a rule in CEL`,
      );
  }
}

function patternOf(check: $ZodStringFormatChecks, context: SchemaContext): readonly string[] {
  const { def } = check._zod;
  if (def.format === 'includes' && 'includes' in def) {
    if (def.position !== undefined) {
      refuse(context, '.includes() with a position has no place in a structural schema; use .regex()');
      return [];
    }
    return [escapeText(def.includes)];
  }
  if (def.format === 'starts_with' && 'prefix' in def) {
    return [`^${escapeText(def.prefix)}`];
  }
  if (def.format === 'ends_with' && 'suffix' in def) {
    return [`${escapeText(def.suffix)}$`];
  }
  const instead = Object.hasOwn(decidedByCode, def.format) ? decidedByCode[def.format] : undefined;
  if (instead !== undefined || 'fn' in def || def.pattern === undefined) {
    refuse(
      context,
      `the format ${def.format} is decided by code that the API server does not have; use ${instead ?? 'z.string().regex()'}`,
    );
    return [];
  }
  return translate(def.pattern, def.format, context);
}

function translate(pattern: RegExp, format: string | undefined, context: SchemaContext): readonly string[] {
  const translated = re2Pattern(pattern);
  if (translated.kind === 'pattern') {
    return [translated.pattern];
  }
  const instead =
    format !== undefined && Object.hasOwn(alternatives, format) ? alternatives[format] : undefined;
  refuse(
    context,
    `the API server can't read the pattern ${String(pattern)}: ${instead === undefined ? translated.why : `use ${instead}`}`,
  );
  return [];
}

function escapeText(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|]/g, '\\$&');
}
