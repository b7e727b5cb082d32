import fc from 'fast-check';
import type { SchemaNode } from '../../../apiserver/src/structural/schema-node.ts';

/* Random schemas, bounded here and there, and random rules in CEL of values that they describe. */

export interface RuledSchema {
  readonly schema: SchemaNode;
  readonly rule: string;
}

export const randomRules: fc.Arbitrary<RuledSchema> = fc
  .array(fc.nat(2 ** 20), { minLength: 60, maxLength: 60 })
  .map((numbers) => {
    const choice = choiceOf(numbers);
    const schema = objectOf(choice, 3);
    return { schema, rule: expression('bool', choice, [{ text: 'self', schema }], 2 + choice.below(3)) };
  });

interface Choice {
  below(count: number): number;
  of<Option>(options: readonly Option[]): Option;
}

function choiceOf(numbers: readonly number[]): Choice {
  let next = 0;
  // Numbers that were used before are used otherwise.
  const below = (count: number): number => {
    const round = Math.floor(next / numbers.length);
    return ((numbers[next++ % numbers.length] ?? 0) + round * 7919) % count;
  };
  return {
    below,
    of: (options) => {
      const option = options[below(options.length)];
      if (option === undefined) {
        throw new Error('There is nothing to choose from: give one option at least');
      }
      return option;
    },
  };
}

type Bound = 'maxLength' | 'maxItems' | 'maxProperties';

function bound(name: Bound, { below, of }: Choice): SchemaNode {
  return below(4) === 0 ? {} : { [name]: of([0, 1, 2, 5, 10, 33, 100]) };
}

function schemaOf(choice: Choice, depth: number): SchemaNode {
  const values: readonly (() => SchemaNode)[] = [
    () => ({ type: 'string', ...bound('maxLength', choice) }),
    () => ({ type: 'string', ...bound('maxLength', choice) }),
    () => ({ type: 'string', enum: ['a', 'bcdé', 'efghijklmnop'].slice(0, 1 + choice.below(3)) }),
    () => ({ type: 'string', format: choice.of(['date', 'date-time', 'duration']) }),
    () => ({ type: 'integer' }),
    () => ({ type: 'boolean' }),
    () => ({ 'x-kubernetes-int-or-string': true, ...bound('maxLength', choice) }),
  ];
  const containers: readonly (() => SchemaNode)[] = [
    () => ({ type: 'array', items: schemaOf(choice, depth - 1), ...bound('maxItems', choice) }),
    () => ({
      ...{ type: 'object', additionalProperties: schemaOf(choice, depth - 1) },
      ...bound('maxProperties', choice),
    }),
    () => objectOf(choice, depth),
  ];
  return choice.of(depth > 0 ? [...values, ...containers, ...containers] : values)();
}

function objectOf(choice: Choice, depth: number): SchemaNode {
  const names = ['a', 'b', 'c', 'd'].slice(0, 2 + choice.below(3));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(choice, depth - 1)])),
    required: names.slice(0, choice.below(3)),
  };
}

/** What an expression can name, with its schema. */
interface Variable {
  readonly text: string;
  readonly schema: SchemaNode;
}

type Kind = 'any' | 'bool' | 'int' | 'list' | 'map' | 'object' | 'string' | 'time';

function kindOf({ type, format, additionalProperties }: SchemaNode): Kind {
  switch (type) {
    case 'string':
      return format === undefined ? 'string' : 'time';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'array':
      return 'list';
    case 'object':
      return additionalProperties === undefined ? 'object' : 'map';
    default:
      return 'any';
  }
}

/** A value of a kind below a variable; undefined: none was come by. */
function found(kind: Kind, choice: Choice, variables: readonly Variable[]): Variable | undefined {
  for (let tries = 0; tries < 6; tries++) {
    for (
      let each: Variable | undefined = choice.of(variables);
      each !== undefined;
      each = below(each, choice)
    ) {
      if (kindOf(each.schema) === kind) {
        return each;
      }
    }
  }
  return undefined;
}

function below({ text, schema }: Variable, choice: Choice): Variable | undefined {
  const { properties, additionalProperties, items } = schema;
  if (properties !== undefined) {
    const [name, child] = choice.of(Object.entries(properties));
    return { text: `${text}.${name}`, schema: child };
  }
  if (typeof additionalProperties === 'object') {
    return { text: `${text}${choice.of(['.k', '["k"]'])}`, schema: additionalProperties };
  }
  return items && { text: `${text}[${choice.below(3)}]`, schema: items };
}

const literals = {
  bool: ['true', 'false'],
  int: ['0', '7', '-3', '(2 + 3)'],
  string: ['""', '"a"', '"bcde"', '"é👑"', '"fghijklmnopqrstuvwxyz"'],
} as const;

type Valued = keyof typeof literals;

function expression(kind: Valued, choice: Choice, variables: readonly Variable[], depth: number): string {
  const named = choice.below(4) === 0 ? undefined : found(kind, choice, variables)?.text;
  if (depth <= 0) {
    return named ?? choice.of(literals[kind]);
  }
  const sub = (wanted: Valued, more: readonly Variable[] = []): string =>
    expression(wanted, choice, [...variables, ...more, ...more, ...more], depth - 1);
  const texts = (): string => textList(choice, variables, sub);
  switch (kind) {
    case 'bool':
      return choice.of([
        () => `${sub('bool')} && ${sub('bool')}`,
        () => `(${sub('bool')} || !(${sub('bool')}))`,
        () => `(${sub('bool')} ? ${sub('bool')} : ${sub('bool')})`,
        () => `(${sub('string')} ${choice.of(['==', '!=', '<', '>='])} ${sub('string')})`,
        () => `(${sub('int')} ${choice.of(['==', '!=', '<', '>='])} ${sub('int')})`,
        () => `${sub('string')}.${choice.of(['contains', 'matches', 'startsWith'])}("bcdefgh")`,
        () => `(${sub('string')} in ${texts()})`,
        () => `sets.${choice.of(['contains', 'equivalent', 'intersects'])}(${texts()}, ${texts()})`,
        () => alike(choice, variables),
        () => presence(choice, variables),
        () => `format.${choice.of(['dns1123Label', 'uuid'])}().validate(${sub('string')}).hasValue()`,
        () => `isSemver(${sub('string')})`,
        () => `semver(${sub('string')}).isLessThan(semver(${sub('string')}))`,
        () => optional('bool', choice, variables, sub),
        ...Array.from({ length: 5 }, () => () => loop(choice, variables, texts, sub)),
        ...Array.from({ length: 3 }, () => () => loopOfTwo(choice, variables, texts, sub)),
      ])();
    case 'int':
      return choice.of([
        () => `(${sub('int')} ${choice.of(['+', '-', '*'])} ${sub('int')})`,
        () => `size(${sub('string')})`,
        () => `${texts()}.map(t, size(t)).sum()`,
        () => `${sub('string')}.indexOf("a")`,
        () => `lists.range(${choice.of(['3', '10', sub('int')])}).sum()`,
        () => `${texts()}.${choice.of(['first', 'last'])}().optMap(o, o.size()).orValue(${sub('int')})`,
        () => `semver(${sub('string')}).major()`,
      ])();
    case 'string':
      return choice.of([
        () => `(${sub('string')} + ${sub('string')})`,
        () => `(${sub('bool')} ? ${sub('string')} : ${sub('string')})`,
        () => `${sub('string')}.replace(${sub('string')}, ${sub('string')})`,
        () => `${sub('string')}.${choice.of(['lowerAscii', 'trim'])}()`,
        () => `${texts()}.join(${sub('string')})`,
        () => `${texts()}[${choice.below(2)}]`,
        () => `{"a": ${sub('string')}, "b": ${sub('string')}}["a"]`,
        () => `string(${sub('int')})`,
        () => `strings.quote(${sub('string')})`,
        () => optional('string', choice, variables, sub),
      ])();
  }
}

type Sub = (kind: Valued, more?: readonly Variable[]) => string;

function textList(choice: Choice, variables: readonly Variable[], sub: Sub): string {
  const list = found('list', choice, variables);
  const isOfTexts = list?.schema.items !== undefined && kindOf(list.schema.items) === 'string';
  return choice.of([
    () => (isOfTexts ? list.text : `[${sub('string')}, ${sub('string')}]`),
    () => `[${sub('string')}]`,
    () => `${sub('string')}.split(",")`,
    () => `${sub('string')}.split(",", ${choice.of([-1, 0, 3])})`,
    () => `([${sub('string')}] + [${sub('string')}])`,
    () => rearranged(`[${sub('string')}, ${sub('string')}]`, choice),
    () => (isOfTexts ? rearranged(list.text, choice) : `[[${sub('string')}], [${sub('string')}]].flatten()`),
    () => (list === undefined ? '["b"]' : transformed(list, `n${variables.length}`, choice, sub)),
    () =>
      list?.schema.items === undefined
        ? '["a"]'
        : mapped(list.text, list.schema.items, `m${variables.length}`, sub),
  ])();
}

function rearranged(list: string, choice: Choice): string {
  return choice.of([
    `${list}.reverse()`,
    `${list}.sort()`,
    `${list}.distinct()`,
    `${list}.slice(0, 1)`,
    `${list}.sortBy(s, ${choice.of(['s', 's.size()', 's + "a"'])})`,
  ]);
}

function transformed(list: Variable, name: string, choice: Choice, sub: Sub): string {
  const item: Variable[] = list.schema.items === undefined ? [] : [{ text: name, schema: list.schema.items }];
  const index: Variable = { text: `${name}i`, schema: { type: 'integer' } };
  const filter = choice.below(2) === 0 ? `${sub('bool', [index, ...item])}, ` : '';
  return `${list.text}.transformList(${name}i, ${name}, ${filter}${sub('string', [index, ...item])})`;
}

/** A value that may be absent, and what is made of it. */
function optional(kind: 'bool' | 'string', choice: Choice, variables: readonly Variable[], sub: Sub): string {
  const given = found(choice.of<Kind>(['string', 'list', 'map', 'object', 'int']), choice, variables);
  const otherwise = sub(kind);
  if (given === undefined) {
    return `optional.of(${otherwise}).orValue(${otherwise})`;
  }
  const name = `q${variables.length}`;
  const made = sub(kind, [{ text: name, schema: given.schema }]);
  const value = choice.of([`optional.of(${given.text})`, given.text.replace(/\.(\w+)$/, '.?$1')]);
  if (!value.includes('optional.of') && !value.includes('.?')) {
    return otherwise;
  }
  return choice.of([
    `${value}.optMap(${name}, ${made}).orValue(${otherwise})`,
    `${value}.optFlatMap(${name}, optional.of(${made})).orValue(${otherwise})`,
  ]);
}

/** With the index or the key beside the item or the value. */
function loopOfTwo(choice: Choice, variables: readonly Variable[], texts: () => string, sub: Sub): string {
  const range = found(choice.of(['list', 'list', 'map']), choice, variables);
  const macro = choice.of(['all', 'exists', 'existsOne', 'exists_one']);
  const [key, value] = [`k${variables.length}`, `w${variables.length}`];
  const { items, additionalProperties } = range?.schema ?? {};
  const text: SchemaNode = { type: 'string' };
  const integer: SchemaNode = { type: 'integer' };
  if (range === undefined) {
    const given = [
      { text: key, schema: integer },
      { text: value, schema: text },
    ];
    return `${texts()}.${macro}(${key}, ${value}, ${sub('bool', given)})`;
  }
  const ofMap = typeof additionalProperties === 'object' ? additionalProperties : text;
  const given = [
    { text: key, schema: items === undefined ? text : integer },
    { text: value, schema: items ?? ofMap },
  ];
  if (choice.below(4) === 0) {
    const [k, v] = [`${key}t`, `${value}t`];
    const map = choice.of([
      `transformMap(${k}, ${v}, ${sub('string', [{ text: k, schema: items === undefined ? text : integer }])})`,
      `transformMapEntry(${k}, ${v}, {${k}: ${sub('string')}})`,
    ]);
    return `${range.text}.${map}.${macro}(${key}, ${value}, ${sub('bool', [given[0] ?? { text: key, schema: text }, { text: value, schema: text }])})`;
  }
  return `${range.text}.${macro}(${key}, ${value}, ${sub('bool', given)})`;
}

function mapped(list: string, items: SchemaNode, name: string, sub: Sub): string {
  return `${list}.map(${name}, ${sub('string', [{ text: name, schema: items }])})`;
}

/** A variable within itself has another name each time. */
function loop(choice: Choice, variables: readonly Variable[], texts: () => string, sub: Sub): string {
  const range = found(choice.of(['list', 'list', 'map']), choice, variables);
  const name = `v${variables.length}`;
  const macro = choice.of(['all', 'exists', 'exists_one']);
  const { items, additionalProperties } = range?.schema ?? {};
  const key: Variable = { text: name, schema: { type: 'string' } };
  if (range === undefined) {
    return `${texts()}.${macro}(${name}, ${sub('bool', [key])})`;
  }
  if (items !== undefined) {
    const other = `f${variables.length}`;
    const filter =
      choice.below(3) === 0 ? `.filter(${other}, ${sub('bool', [{ text: other, schema: items }])})` : '';
    return `${range.text}${filter}.${macro}(${name}, ${sub('bool', [{ text: name, schema: items }])})`;
  }
  const value: Variable[] =
    typeof additionalProperties === 'object'
      ? [{ text: `${range.text}[${name}]`, schema: additionalProperties }]
      : [];
  return `${range.text}.${macro}(${name}, ${sub('bool', [key, ...value])})`;
}

function alike(choice: Choice, variables: readonly Variable[]): string {
  const value = found(choice.of<Kind>(['any', 'list', 'map', 'object', 'time']), choice, variables);
  return value === undefined ? 'true' : `(${value.text} == ${value.text})`;
}

function presence(choice: Choice, variables: readonly Variable[]): string {
  const object = found('object', choice, variables);
  const name = Object.keys(object?.schema.properties ?? {})[0];
  return object === undefined || name === undefined || object.text.includes('[')
    ? 'false'
    : `has(${object.text}.${name})`;
}
