import fc from 'fast-check';
import { structSchema, type FieldSchema, type FieldType } from '@holdfast/apiserver';
import { character } from '../character.ts';

/* Objects as Go would write them to JSON, at random: null, absent and zero where Go has them, and nowhere else. */

const unwritten = Symbol('absent');

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 90 }) },
  { weight: 2, arbitrary: fc.constantFrom('Running', 'shop', 'node-1', 'größe') },
);
const key = fc.constantFrom('a', 'b/c', 'volume.kubernetes.io/x', 'ü');
const int32 = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(1, 127, 128, -1));
const int64 = fc.oneof(int32, fc.maxSafeInteger());
const time = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d+Z/, 'Z'));
const quantity = fc.constantFrom('0', '1Gi', '100m', '5e3');

/** @param depth how deep optional structs go */
export function goJson(struct: string, depth = 3): fc.Arbitrary<Record<string, unknown>> {
  const { fields } = structSchema(struct);
  const written = fields.filter(({ protobufPath }) => protobufPath.length > 0);
  return fc.tuple(...written.map((field) => goField(field, depth))).map((values) => {
    const entries = values.flatMap((value, index): (readonly [string, unknown])[] =>
      value === unwritten ? [] : [[written[index]?.name ?? '', value]],
    );
    return Object.fromEntries(entries);
  });
}

/** Kinds of values that no projection keeps; whatever is in them, they are passed over. */
const passedOver: readonly FieldType['kind'][] = [
  'raw',
  'bytes',
  'float64',
  'intorstring',
  'microtime',
  'duration',
];

function goField({ type, omitEmpty, omitZero }: FieldSchema, depth: number): fc.Arbitrary<unknown> {
  const absent = fc.constant<unknown>(omitEmpty ? unwritten : null);
  if (passedOver.includes('of' in type ? type.of.kind : type.kind)) {
    return fc.constant(unwritten);
  }
  switch (type.kind) {
    case 'pointer':
      return type.of.kind === 'struct' && depth === 0
        ? absent
        : fc.oneof(absent, goValue(type.of, depth, true));
    case 'list':
      return depth === 0
        ? absent
        : fc.oneof(absent, fc.array(goValue(type.of, depth, true), { minLength: 1, maxLength: 3 }));
    case 'map':
      return fc.oneof(absent, fc.dictionary(key, goValue(type.of, depth, true), { minKeys: 1, maxKeys: 3 }));
    case 'struct':
      return goValue(type, depth, true);
    case 'time':
      return fc.oneof(fc.constant<unknown>(omitZero ? unwritten : null), time);
    default:
      return omitEmpty ? fc.oneof(absent, goValue(type, depth, false)) : goValue(type, depth, true);
  }
}

/** @param withZero Go writes the zero, too. */
function goValue(type: FieldType, depth: number, withZero: boolean): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'string':
      return withZero ? fc.oneof(fc.constant(''), text) : text;
    case 'bool':
      return withZero ? fc.boolean() : fc.constant(true);
    case 'int32':
      return withZero ? fc.oneof(fc.constant(0), int32) : int32.filter((value) => value !== 0);
    case 'int64':
      return withZero ? fc.oneof(fc.constant(0), int64) : int64.filter((value) => value !== 0);
    case 'struct':
      return goJson(type.name, depth - 1);
    case 'time':
      return time;
    case 'quantity':
      return quantity;
    default:
      throw new Error(`no test needs a field of kind ${type.kind}`);
  }
}
