import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { structuralSchemaOf } from '../../src/custom-resource/zod-schema.ts';
import type { FieldProblem } from '../../src/custom-resource/problem.ts';

function problemsOf(schema: z.ZodType): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  structuralSchemaOf(schema, 'spec', problems);
  return problems;
}

interface Tree {
  readonly children: readonly Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  get children() {
    return z.array(tree);
  },
});
const lazy: z.ZodType = z.object({ next: z.lazy(() => lazy).optional() });
let count = 0;

test.each<[string, z.ZodType, string, string]>([
  ['date', z.object({ until: z.date() }), 'spec.until', 'z.iso.datetime()'],
  ['bigint', z.array(z.bigint()), 'spec[]', 'z.int()'],
  ['map', z.record(z.string(), z.map(z.string(), z.int())), 'spec.*', 'z.record('],
  ['set', z.set(z.string()), 'spec', "'x-kubernetes-list-type': 'set'"],
  ['tuple', z.tuple([z.string()]), 'spec', '.length(n)'],
  ['transform', z.object({ a: z.string().transform(Number) }), 'spec.a', 'change it in the program'],
  ['preprocess', z.preprocess(String, z.string()), 'spec', 'change it in the program'],
  ['coerce', z.coerce.number(), 'spec', 'without it'],
  ['codec', z.stringbool(), 'spec', 'change it in the program'],
  ['catch', z.string().catch('a'), 'spec', '.default()'],
  ['custom', z.custom((value) => value === 1), 'spec', 'z.unknown()'],
  ['never', z.object({ a: z.never().optional() }), 'spec.a', 'leave the field out'],
  ['null alone', z.null(), 'spec', '.nullable()'],
  ['undefined', z.undefined(), 'spec', '.optional()'],
  ['symbol', z.symbol(), 'spec', 'describe the JSON'],
  [
    'refinement',
    z.object({ a: z.string().refine((text) => text !== '') }),
    'spec.a',
    'x-kubernetes-validations',
  ],
  [
    'refinement of what may be missing',
    z.string().optional().refine(Boolean),
    'spec',
    'x-kubernetes-validations',
  ],
  ['refinement of an object', z.object({}).superRefine(() => undefined), 'spec', 'x-kubernetes-validations'],
  ['trimmed text', z.string().trim(), 'spec', '.regex()'],
  ['getter that leads back', tree, 'spec.children[]', 'part of itself'],
  ['lazy schema that leads back', lazy, 'spec.next', 'part of itself'],
  ['strict object', z.strictObject({}), 'spec', 'z.object()'],
  ['catchall beside fields', z.object({ a: z.string() }).catchall(z.int()), 'spec', 'z.record()'],
  [
    'union of objects',
    z.discriminatedUnion('t', [z.object({ t: z.literal('a') }), z.object({ t: z.literal('b') })]),
    'spec',
    'a field of its own',
  ],
  ['union of number and text', z.union([z.number(), z.string()]), 'spec', 'an integer and a string'],
  ['exclusive union', z.xor([z.int(), z.string()]), 'spec', 'z.union()'],
  ['literals of two types', z.literal([1, 'a']), 'spec', 'not of one type'],
  ['null among a few', z.literal(['a', null]), 'spec', '.optional()'],
  ['nullable enum', z.enum(['a']).nullable(), 'spec', '.optional()'],
  ['null or one of a few', z.union([z.enum(['a']), z.null()]), 'spec', '.optional()'],
  ['record with keys of a form', z.record(z.string().min(1), z.int()), 'spec', 'z.record(z.string()'],
  ['record with known keys', z.record(z.enum(['a']), z.int()), 'spec', 'z.object()'],
  ['loose record', z.looseRecord(z.string(), z.int()), 'spec', 'z.record(z.string()'],
  [
    'intersection with a field in common',
    z.intersection(z.object({ a: z.int() }), z.object({ a: z.string() })),
    'spec',
    'both have a',
  ],
  [
    'intersection with a loose object',
    z.intersection(z.looseObject({}), z.object({ a: z.string() })),
    'spec',
    '.extend()',
  ],
  ['URL', z.url(), 'spec', "z.string().meta({ format: 'uri' })"],
  ['IPv6 address', z.ipv6(), 'spec', "format: 'ipv6'"],
  ['base64', z.base64(), 'spec', "format: 'byte'"],
  ['host name', z.hostname(), 'spec', "format: 'hostname'"],
  ['ISO duration', z.iso.duration(), 'spec', "format: 'duration'"],
  [
    'format by a function',
    z.stringFormat('even', (text) => text.length % 2 === 0),
    'spec',
    'z.string().regex()',
  ],
  ['look-ahead', z.object({ a: z.string().regex(/^(?!x)/) }), 'spec.a', 'look-ahead'],
  ['text at a position', z.string().includes('a', { position: 2 }), 'spec', '.regex()'],
  ['32-bit float', z.float32(), 'spec', 'z.number()'],
  ['bound that no integer of 64 bits has', z.number().max(1e19), 'spec', '2^53'],
  ['least value with a fraction', z.number().min(1.5), 'spec', '.gt()'],
  ['open bound with a fraction below 0', z.number().gt(-1.5), 'spec', '.min()'],
  ['greatest value with a fraction below 0', z.number().max(-0.5), 'spec', '.lt()'],
  ['open upper bound with a fraction', z.number().lt(0.5), 'spec', '.max()'],
  ['multiple of a fraction', z.number().multipleOf(0.5), 'spec', 'z.int().multipleOf(2)'],
  ['multiple of two factors', z.int().multipleOf(2).multipleOf(3), 'spec', 'once'],
  ['default that is not valid', z.object({ a: z.string().default(1 as never) }), 'spec.a', 'not valid'],
  ['prefault that is not valid', z.object({ a: z.string().prefault(1 as never) }), 'spec.a', 'not valid'],
  [
    'default of what has no place itself',
    z.object({ a: z.date().default(new Date(0)) }),
    'spec.a',
    'z.iso.datetime()',
  ],
  ['default null', z.object({ a: z.string().nullable().default(null) }), 'spec.a', '.optional()'],
  [
    'default that lacks defaults',
    z.object({ a: z.object({ b: z.int().default(1) }).default({} as never) }),
    'spec.a',
    '.prefault()',
  ],
  ['default that changes', z.object({ a: z.int().default(() => count++) }), 'spec.a', 'another each time'],
  ['default that is no JSON', z.object({ a: z.unknown().default(new Date(0)) }), 'spec.a', 'not JSON'],
  [
    'extension that is not known',
    z.array(z.int()).meta({ 'x-kubernetes-list-typ': 'set' }),
    'spec',
    'x-kubernetes-list-type',
  ],
  [
    'unknown fields kept by meta alone',
    z.object({}).meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    'spec',
    'z.looseObject()',
  ],
  ['list type of a text', z.string().meta({ 'x-kubernetes-list-type': 'set' }), 'spec', 'for array only'],
  ['format that is not checked', z.string().meta({ format: 'quantity' }), 'spec', 'date-time'],
  [
    'list map without keys',
    z.array(z.object({})).meta({ 'x-kubernetes-list-type': 'map' }),
    'spec',
    'give both',
  ],
  [
    'list map by an optional key',
    z
      .array(z.object({ a: z.string().optional() }))
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
    'spec',
    'require it',
  ],
  [
    'list map by a key that is not there',
    z.array(z.object({})).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
    'spec',
    'fields of the items',
  ],
  ['set of objects', z.array(z.object({})).meta({ 'x-kubernetes-list-type': 'set' }), 'spec', 'atomic'],
  [
    'set of what may be null',
    z.array(z.string().nullable()).meta({ 'x-kubernetes-list-type': 'set' }),
    'spec',
    'nullable',
  ],
  ['rules that are no list', z.string().meta({ 'x-kubernetes-validations': 'self != ""' }), 'spec', 'rule:'],
])('%s -> refused, with its path and what to do instead', (_, schema, path, way) => {
  expect(problemsOf(schema)).toEqual([{ path, message: expect.stringContaining(way) }]);
});

test('two schemas that are wrong -> both are named', () => {
  const schema = z.object({ a: z.date(), b: z.array(z.object({ c: z.bigint() })) });
  expect(problemsOf(schema).map(({ path }) => path)).toEqual(['spec.a', 'spec.b[].c']);
});

test('one schema at two places, none within the other -> not recursive', () => {
  const port = z.object({ port: z.int32() });
  expect(problemsOf(z.object({ a: port, b: z.array(port) }))).toStrictEqual([]);
});
