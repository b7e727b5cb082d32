import fc from 'fast-check';
import { z } from 'zod';

/** A zod schema with values to try it on: most are of its form, and some are not. */
export interface Sample {
  readonly schema: z.ZodType;
  readonly values: fc.Arbitrary<unknown>;
  /** One of a few: the API server refuses null then, whatever else is said. */
  readonly isChoice?: true;
}

const junk = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.5, 1e6, 2 ** 53, -(2 ** 31) - 1),
  fc.string({ maxLength: 3 }),
  fc.constant([]),
  fc.constant({}),
  fc.constant([1, 'a', null]),
  fc.constant({ a: 1, b: null, c: { a: 'x' } }),
);

const name = fc.constantFrom('a', 'b', 'c', 'd');

const patterns: readonly (readonly [pattern: RegExp, texts: fc.Arbitrary<string>])[] = [
  /^[a-z]+$/,
  /^a.b$/,
  /\s/,
  /^\S{1,3}$/u,
  /^[^\d\s]*$/,
  /^(?<first>a|b)(?:-c)?$/,
  /\u0041\x42|\//,
  /^[\w.-]{2,4}$/,
].map((pattern) => [
  pattern,
  fc.oneof(fc.stringMatching(pattern, { maxLength: 8 }), fc.string({ maxLength: 4, unit: 'grapheme' })),
]);

const odd = fc.constantFrom('a\u2028b', 'a\rb', '\u00a0', '\u{1f600}', 'a\nb', '\v', '\ufeff');

const strings = fc
  .record({
    min: fc.option(fc.nat(2)),
    max: fc.option(fc.integer({ min: 2, max: 4 })),
    pattern: fc.option(fc.constantFrom(...patterns)),
    part: fc.option(fc.constantFrom('a', '.', '$')),
  })
  .map(({ min, max, pattern, part }): Sample => {
    let schema = z.string();
    schema = min === null ? schema : schema.min(min);
    schema = max === null ? schema : schema.max(max);
    schema = pattern === null ? schema : schema.regex(pattern[0]);
    schema = part === null ? schema : schema.startsWith(part);
    const texts = fc.oneof(pattern?.[1] ?? fc.string({ maxLength: 5, unit: 'grapheme' }), odd);
    return { schema, values: texts.map((text) => (part === null ? text : `${part}${text}`)) };
  });

const formats = fc.constantFrom<Sample>(
  { schema: z.uuid(), values: fc.uuid() },
  { schema: z.ipv4(), values: fc.oneof(fc.ipV4(), fc.constant('1.2.3.256')) },
  { schema: z.iso.date(), values: fc.constantFrom('2024-02-29', '2023-02-29', '2024-1-1') },
  {
    schema: z.iso.datetime({ offset: true }),
    values: fc.constantFrom('2024-02-29T00:00:00Z', '2024-02-29T00:00:00+01:00', '2024'),
  },
  { schema: z.email(), values: fc.constantFrom('a@b.ch', 'a@b', '.a@b.ch') },
  { schema: z.templateLiteral(['v', z.int()]), values: fc.constantFrom('v1', 'v', 'v-3', 'w1') },
);

const numbers = fc
  .record({
    base: fc.constantFrom(z.number(), z.int(), z.int32(), z.uint32(), z.number().int()),
    min: fc.option(fc.integer({ min: -3, max: 3 })),
    max: fc.option(fc.integer({ min: 0, max: 9 })),
    isOpen: fc.boolean(),
    factor: fc.option(fc.constantFrom(2, 3)),
  })
  .map(({ base, min, max, isOpen, factor }): Sample => {
    let schema: z.ZodNumber = base;
    // Fractions on the sides that the API server keeps to.
    schema =
      min === null ? schema : isOpen ? schema.gt(min < 2 ? min : 1.5) : schema.min(min > -2 ? min : -1.5);
    schema =
      max === null ? schema : isOpen ? schema.lt(max > 1 ? max : -0.5) : schema.max(max < 8 ? max : 7.5);
    schema = factor === null || base.format === null ? schema : schema.multipleOf(factor);
    return {
      schema,
      values: fc.oneof(
        fc.integer({ min: -5, max: 12 }),
        fc.constantFrom(0.5, -1.5, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 60), 1e39, 12),
      ),
    };
  });

const choices = fc.constantFrom<Sample>(
  { isChoice: true, schema: z.enum(['red', 'blue']), values: fc.constantFrom('red', 'blue', 'green') },
  { isChoice: true, schema: z.literal([1, 2]), values: fc.constantFrom(1, 2, 3) },
  { isChoice: true, schema: z.literal('on'), values: fc.constantFrom('on', 'off') },
  {
    isChoice: true,
    schema: z.union([z.literal('a'), z.enum(['b', 'c'])]),
    values: fc.constantFrom('a', 'b', 'd'),
  },
  {
    schema: z.union([z.int().min(1).max(9), z.string().min(2)]),
    values: fc.constantFrom(1, 10, 'ab', 'a', 1.5, true),
  },
  { schema: z.union([z.string(), z.null()]), values: fc.constantFrom('a', null, 1) },
  { schema: z.boolean(), values: fc.boolean() },
  { schema: z.unknown(), values: fc.jsonValue({ maxDepth: 2 }) },
);

/** A schema of the expressible ones, as deep as chance wants it. */
export const samples: fc.Arbitrary<Sample> = fc.letrec<{
  any: Sample;
  leaf: Sample;
  node: Sample;
  field: Sample;
}>((tie) => ({
  leaf: fc.oneof(strings, formats, numbers, choices),
  node: fc.oneof(
    fc
      .record({ of: tie('any'), min: fc.option(fc.nat(1)), max: fc.option(fc.integer({ min: 1, max: 2 })) })
      .map(({ of, min, max }): Sample => {
        let schema = z.array(of.schema);
        schema = min === null ? schema : schema.min(min);
        schema = max === null ? schema : schema.max(max);
        return { schema, values: fc.array(of.values, { maxLength: 3 }) };
      }),
    tie('any').map((of): Sample => ({
      schema: z.record(z.string(), of.schema),
      values: fc.dictionary(name, of.values, { maxKeys: 2 }),
    })),
    fc
      .record({
        fields: fc.dictionary(name, tie('field'), { maxKeys: 3, noNullPrototype: true }),
        isLoose: fc.boolean(),
      })
      .map(({ fields, isLoose }): Sample => {
        const shape = Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]));
        const values = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.values]));
        return {
          schema: isLoose ? z.looseObject(shape) : z.object(shape),
          values: fc
            .tuple(
              fc.record(values, { requiredKeys: [], noNullPrototype: true }),
              fc.option(fc.dictionary(name, junk, { maxKeys: 1, noNullPrototype: true })),
              fc.boolean(),
            )
            .map(([given, more, isLast]) => (isLast ? { ...given, ...more } : { ...more, ...given })),
        };
      }),
    fc.constant<Sample>({
      schema: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int().default(1) })),
      values: fc.record(
        { a: fc.constantFrom('x', 1, null), b: fc.constantFrom(2, 'y', null) },
        { requiredKeys: [], noNullPrototype: true },
      ),
    }),
  ),
  field: fc
    .tuple(
      tie('any'),
      fc.constantFrom('required', 'optional', 'exactOptional', 'nullish', 'default', 'prefault'),
    )
    .chain(([of, presence]) => fc.tuple(fc.constant(of), fc.constant(presence), of.values))
    .map(([of, presence, given]): Sample => {
      switch (presence) {
        case 'optional':
          return { ...of, schema: of.schema.optional() };
        case 'exactOptional':
          return { ...of, schema: of.schema.exactOptional() };
        case 'nullish':
          return of.isChoice === true
            ? of
            : { schema: of.schema.nullable().optional(), values: fc.oneof(of.values, fc.constant(null)) };
        case 'default': {
          const made = of.schema.safeParse(given);
          return made.success && given !== null ? { ...of, schema: of.schema.default(made.data) } : of;
        }
        case 'prefault': {
          const made = of.schema.safeParse(given);
          return made.success && given !== null ? { ...of, schema: of.schema.prefault(given) } : of;
        }
        default:
          return of;
      }
    }),
  any: fc
    .tuple(fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('node')), fc.nat(5))
    .map(([of, nullable]): Sample => ({
      ...of,
      schema: nullable === 0 && of.isChoice !== true ? of.schema.nullable() : of.schema,
      values: fc.oneof({ weight: 8, arbitrary: of.values }, { weight: 1, arbitrary: junk }),
    })),
})).field;
