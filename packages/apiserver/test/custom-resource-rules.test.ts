import { describe, expect, test } from '@jest/globals';
import { createAdmissionCompiler } from '../src/cel/admission-expression.ts';
import { AccessAuthorizer } from '../src/cel/authorizer-functions.ts';
import { createBudget } from '../src/cel/evaluation-budget.ts';
import { hasFormat } from '../src/structural/formats.ts';
import { compileSchema, judgeByRules } from '../src/custom-resources/rules.ts';
import { ruleCompileErrors } from '../src/custom-resources/validate-rules.ts';
import type { SchemaNode } from '../src/structural/schema-node.ts';
import type { Json } from '../src/meta/json.ts';

/*
 * What recorded answers do not show of rules: where this server refuses what the real one takes, cost, and what did not
 * change.
 */

const text = { type: 'string' };
const numbers = { type: 'array', items: { type: 'integer' } };

function schemaWith(rule: string, properties: Record<string, SchemaNode>): SchemaNode {
  return { type: 'object', properties, 'x-kubernetes-validations': [{ rule, message: 'found' }] };
}

interface Judged {
  readonly errors: string[];
  readonly passedOver: string[];
}

function judge(schema: SchemaNode, object: Json, old?: Json, limit?: number): Judged {
  const compiled = compileSchema(schema, false);
  if (compiled === undefined) {
    throw new Error('The schema has no rules');
  }
  const { errors, passedOver } = judgeByRules(compiled, object, old, limit === undefined ? {} : { limit });
  return {
    errors: errors.map(({ field, message }) => `${field}: ${message}`),
    passedOver: passedOver.map(({ field, message }) => `${field}: ${message}`),
  };
}

describe('function that is not there -> definition refused, the function named', () => {
  test.each([
    ['b"a".base64() == ""', 'base64'],
    ['self.a.quote() == ""', 'quote'],
    ['[1].existsOne(self, self == 1)', 'existsOne'],
    ['[1].exists(x, nope(x))', 'nope'],
    ['cel.bind(x, 1, x == 1)', 'bind'],
  ])('%s', (rule, name) => {
    const [error, ...more] = ruleCompileErrors(schemaWith(rule, { a: text }), 'at');
    expect(more).toStrictEqual([]);
    expect(error?.message).toContain(`undeclared reference to '${name}' (in container '')`);
  });

  test('several names that are not there -> all are said, in their order', () => {
    const [error] = ruleCompileErrors(schemaWith('nope(self.a) == other && [1].all(x, x == y)', {}), 'at');
    expect(error?.message.match(/undeclared reference to '\w+'/g)).toEqual(
      ['nope', 'other', 'y'].map((name) => `undeclared reference to '${name}'`),
    );
  });
});

test.each([
  [100_000, 'undeclared'],
  [100_001, 'ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000'],
])('expression of %d code points -> %s', (size, problem) => {
  const [error] = ruleCompileErrors(schemaWith(`nope("${'👑'.repeat(size - 8)}")`, {}), 'at');
  expect(error?.message).toContain(problem);
});

test('14,000 names that are not there -> 100 are said, and how many more there are', () => {
  const rule = Array.from({ length: 14_000 }, (_, n) => `x${n}`).join('+');
  const [error] = ruleCompileErrors(schemaWith(rule, {}), 'at');
  expect(error?.message).toContain("undeclared reference to 'x99'");
  expect(error?.message).not.toContain("undeclared reference to 'x100'");
  expect(error?.message.slice(-40)).toContain('13900 more errors were truncated');
});

test.each([
  ['optional values', `optional.of(1)${'.optMap(x, x)'.repeat(200)}.hasValue()`],
  ['lists that are sorted', `[1]${'.sortBy(x, x)'.repeat(200)}.size() > 0`],
  ['maps', `{"a": 1}${'.transformMap(k, v, v)'.repeat(200)}.size() > 0`],
])('%s in a row of 200 -> compiled in time that its length bounds', (_, rule) => {
  // In twice the time for each that is in the row, it would never end.
  expect(ruleCompileErrors(schemaWith(rule, {}), 'at').map(({ message }) => message)).not.toContain('Syntax');
});

describe('functions that the library has otherwise', () => {
  test.each([
    ['"😀a".indexOf("a") == 1 && "😀a".lastIndexOf("a") == 1 && "😀a".substring(1) == "a"'],
    ['"aé".matches("^\\\\p{L}+$") && ["aé"].all(x, x.matches("^\\\\p{L}+$"))'],
    ['["é"].map(x, x.upperAscii()) == ["é"] && ["A"].filter(x, x.lowerAscii() == "a").size() == 1'],
    ['"😀a".split("") == ["😀", "a"]'],
    ['has(self.a) ? self.a.matches("^\\\\p{L}+$") : true'],
    ['int("7") == 7 && int(uint(3)) == 3 && int(timestamp("1970-01-01T00:00:01Z")) == 1'],
  ])('%s -> true', (rule) => {
    expect(judge(schemaWith(rule, { a: text }), { a: 'aé' })).toEqual({ errors: [], passedOver: [] });
  });

  test('int of no number -> evaluation fails', () => {
    const { errors } = judge(schemaWith('int(self.a) == 0', { a: text }), { a: '' });
    expect(errors).toEqual([
      `<nil>: Invalid value: "object": type conversion error from 'string' to 'int' evaluating rule: found`,
    ]);
  });
});

describe('cost: ends by the budget, and soon', () => {
  // A tenth of what an evaluation may cost, of lists and texts that are shorter by as much: what is not paid for would
  // end by it neither.
  const limit = 100_000;
  const many = `[${Array.from({ length: 60 }, (_, n) => String(n)).join()}]`;
  const quantified = (depth: number): string =>
    depth === 0 ? 'true' : `${many}.all(v${String(depth)}, ${quantified(depth - 1)})`;
  const quantifiedByTwo = (depth: number): string =>
    depth === 0 ? 'true' : `${many}.all(i${String(depth)}, v${String(depth)}, ${quantifiedByTwo(depth - 1)})`;
  const doubled = (times: number): string => `["0123456789"]${'.map(x, x + x)'.repeat(times)}[0] == ""`;

  test.each([
    ['literals within each other', quantified(5)],
    ['what fails is taken for no answer', `(${quantified(5)}) || true`],
    [
      'what fails in each round is taken for no answer',
      `${many}.all(a, ${many}.all(b, (${quantified(4)}) || true) || true)`,
    ],
    [
      'results of macros',
      `${many}.map(a, a).map(a, ${many}.map(b, ${many}.map(c, ${many}.map(d, d)))).size() == 0`,
    ],
    ['texts that are doubled', doubled(40)],
    [
      'texts that are joined',
      `["${'x'.repeat(1_000)}"]${'.map(x, [x, x, x, x, x, x, x, x].join())'.repeat(12)}[0] == ""`,
    ],
    ['a long text read again and again', `${many}.all(a, ${many}.all(b, !self.long.matches("(a+)+(b+)+$")))`],
    ['the size of a long text', `${many}.all(a, ${many}.all(b, size(self.long) > 0))`],
    ['a part in a long text', `${many}.all(a, ${many}.all(b, !self.long.contains("${'z'.repeat(100)}")))`],
    ['sets', `${many}.all(a, ${many}.all(b, sets.equivalent(${many}, ${many})))`],
    ['digits', '"%.999999999f".format([1.5]) != ""'],
    ['loops of two variables within each other', quantifiedByTwo(5)],
    ['what fails in a loop of two variables is taken for no answer', `(${quantifiedByTwo(5)}) || true`],
    [
      'lists of loops of two variables',
      `${many}.transformList(i, a, ${many}.transformList(j, b, ${many}.map(c, c))) == []`,
    ],
    [
      'maps of loops of two variables',
      `${many}.transformMap(i, a, ${many}.transformMap(j, b, ${many}.map(c, c))) == {}`,
    ],
    [
      'keys that are doubled',
      `{"0123456789": 1}${'.transformMapEntry(k, v, {k + k: v})'.repeat(40)}.size() == 0`,
    ],
    [
      'entries that are many',
      `${many}.transformMap(i, a, ${many}.transformMapEntry(j, b, {string(j): j, "x" + string(j): j})) == {} || ${many}.all(a, ${many}.all(b, ${many}.transformMapEntry(j, c, {j: c}).size() > 0))`,
    ],
    ['a range without an end', 'lists.range(9223372036854775807).size() == 0'],
    ['ranges of ranges', `lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).size() > 0))`],
    [
      'lists that are many times in one',
      `[lists.range(1000)].all(l, ${many}.map(a, l).flatten().map(b, l).flatten().size() == 0)`,
    ],
    [
      'what is flattened again and again',
      `${many}.all(a, ${many}.all(b, [${Array(7).fill(many).join()}].flatten(9).size() > 0))`,
    ],
    ['what is told apart', 'lists.range(1000).distinct().size() == 0'],
    ['what is sorted', 'lists.range(1000).sort().size() == 0'],
    ['what is sorted by something', 'lists.range(1000).sortBy(x, -x).size() == 0'],
    ['what is turned round', `${many}.all(a, ${many}.all(b, ${many}.reverse().size() > 0))`],
    ['what is cut', `${many}.all(a, ${many}.all(b, ${many}.slice(0, 60).size() > 0))`],
    [
      'lists that are compared',
      `[lists.range(27000)].all(a, [lists.range(27000)].all(b, ${many}.all(c, a == b)))`,
    ],
    [
      'lists within lists that are compared',
      `[[lists.range(27000)]].all(a, [[lists.range(27000)]].all(b, ${many}.all(c, a == b)))`,
    ],
    ['an item in a long list', `[lists.range(27000)].all(a, ${many}.all(b, !(-1 in a)))`],
    ['the place of an item in a long list', `[lists.range(27000)].all(a, ${many}.all(b, a.indexOf(-1) < 0))`],
    ['the greatest of a long list', `[lists.range(27000)].all(a, ${many}.all(b, a.max() > 0))`],
    ['texts that are compared', `[self.long + "a"].all(a, [self.long + "b"].all(b, ${many}.all(c, a != b)))`],
    ['texts in an order', `[self.long + "a"].all(a, [self.long + "b"].all(b, ${many}.all(c, a < b)))`],
    ['how a long text begins', `${many}.all(a, self.long.startsWith(self.long))`],
    ['bytes of a long text', `${many}.all(a, bytes(self.long).size() > 0)`],
    ['versions', `${many}.all(a, !isSemver(self.long))`],
    ['quantities', `${many}.all(a, !isQuantity(self.long))`],
    ['addresses', `${many}.all(a, !isIP(self.long))`],
    ['numbers', `${many}.all(a, ${many}.all(b, (int(self.long) == 1) || true))`],
    ['formats', `${many}.all(a, format.dns1123Label().validate(self.long).hasValue())`],
    ['quotes', `${many}.all(a, strings.quote(self.long) != "")`],
    [
      'values that may be absent',
      `${many}.all(a, ${many}.all(b, optional.of(${many}).optMap(l, l.all(c, true)).orValue(true)))`,
    ],
  ])('%s -> no result, and the server is there', (_, rule) => {
    const { errors } = judge(
      schemaWith(rule, { long: text }),
      { long: 'a'.repeat(100_000) },
      undefined,
      limit,
    );
    expect(errors).toEqual([expect.stringMatching(/operation cancelled: actual cost limit exceeded/)]);
  });

  test('authorizer -> what a check costs', () => {
    const budget = createBudget(10_000_000);
    const compiler = createAdmissionCompiler({});
    const check = 'authorizer.group("").resource("pods").check("get").allowed()';
    const variables = {
      ...{ request: {}, object: null, oldObject: null },
      authorizer: new AccessAuthorizer(() => ({ isAllowed: true, reason: '' }), undefined),
    };
    const values = compiler.valuesOf(variables, budget);
    const evaluate = (expression: string): unknown => {
      const program = compiler.compile(expression, { otherwise: (type) => type });
      return budget.run(() => program.evaluate(values, budget));
    };
    expect(evaluate(`${check} && ${check}`)).toBe(true);
    expect(() => evaluate(`${check} && ${check} && ${check}`)).toThrow(/actual cost limit exceeded/);
  });

  test.each([
    [
      'set',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      (n: number): Json => `item-${String(n)}`,
    ],
    [
      'map',
      {
        ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        items: {
          type: 'object',
          properties: { name: text },
          'x-kubernetes-validations': [{ rule: 'has(self.name)' }],
        },
      },
      (n: number): Json => ({ name: `item-${String(n)}` }),
    ],
  ])('a list of type %s of 20,000 items is turned round -> judged by the same items', (_, list, item) => {
    const items = Array.from({ length: 20_000 }, (__, n) => item(n));
    const { errors } = judge(
      schemaWith('self.l.size() == oldSelf.l.size()', { l: list }),
      { l: items },
      { l: items.toReversed() },
    );
    expect(errors).toStrictEqual([]);
  });

  test.each([
    ['and', Array(3_000).fill('true').join(' && ')],
    ['plus', `${Array(3_000).fill('1').join(' + ')} > 0`],
    ['not', `${'!'.repeat(3_000)}true`],
    ['parentheses', `${'('.repeat(3_000)}true${')'.repeat(3_000)}`],
  ])('3,000 operators: %s -> judged, or refused by the compiler, and no failure of the server', (_, rule) => {
    const schema = schemaWith(rule, {});
    const refused = ruleCompileErrors(schema, 'at').map(({ message }) => message);
    const failed = refused.length > 0 ? [] : judge(schema, {}).errors;
    // Whether the stack ends in the parser, or in the estimate of the cost, depends on what the engine has optimized by
    // then.
    const words = /nests too deeply|maxDepth|cost limit exceeded|estimated rule cost/;
    expect([...refused, ...failed].filter((each) => !words.test(each))).toStrictEqual([]);
  });
});

describe('literal that a function can not take -> definition refused, in the words of kube-apiserver 1.36', () => {
  test.each([
    ['"abc".matches("[")', '1:15: invalid matches argument'],
    ['self.a.matches("a**")', '1:16: invalid matches argument'],
    ['timestamp("2024-02-30T00:00:00Z").getMonth() == 1', '1:11: invalid timestamp argument'],
    ['timestamp("2024-01-01").getMonth() == 0', '1:11: invalid timestamp argument'],
    ['timestamp("2024-01-01t00:00:00z").getSeconds() == 0', '1:11: invalid timestamp argument'],
    ['timestamp(253402300800) > timestamp(0)', '1:11: invalid timestamp argument'],
    ['true || timestamp("nope") == timestamp(0)', '1:19: invalid timestamp argument'],
    ['duration("1d") == duration("24h")', '1:10: invalid duration argument'],
    ['duration("100000000h") > duration("1s")', '1:10: invalid duration argument'],
  ])('%s', (rule, problem) => {
    const [error, ...more] = ruleCompileErrors(schemaWith(rule, { a: text }), 'at');
    expect(more).toStrictEqual([]);
    expect(error?.message).toContain(`compilation failed: ERROR: <input>:${problem}`);
  });
});

test('a long text of digits for a duration -> refused at once', () => {
  const { errors } = judge(schemaWith('duration(self.a) > duration("1s")', { a: text }), {
    a: '1'.repeat(200_000),
  });
  expect(errors).toEqual([
    `<nil>: Invalid value: "object": type conversion error from 'string' to 'google.protobuf.Duration' evaluating rule: found`,
  ]);
  expect(hasFormat('duration', '1'.repeat(200_000))).toBe(false);
  expect(hasFormat('duration', '1.5h1.s.5ms')).toBe(true);
});

describe('edges', () => {
  test.each([
    ['-(-9223372036854775807 - 1) == 0', 'integer overflow'],
    ['(-9223372036854775807 - 1) / -1 == 0', 'integer overflow'],
    ['[9223372036854775807, 1].sum() == 0', 'integer overflow'],
    ['9223372036854775807 + 1 == 0', 'integer overflow'],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s") > timestamp(0)', 'timestamp overflow'],
    ['timestamp("0001-01-01T00:00:00Z") - duration("1s") < timestamp(0)', 'timestamp overflow'],
    [
      'timestamp("9999-12-31T23:59:59Z") - timestamp("0001-01-01T00:00:00Z") > duration("1s")',
      'integer overflow',
    ],
    ['duration("9223372036s") + duration("9223372036s") > duration("1s")', 'integer overflow'],
    ['timestamp("2024-01-01T00:00:00Z").getHours("Nope/Nope") == 1', 'unknown time zone Nope/Nope'],
    [
      'timestamp(self.a) == timestamp(0)',
      "type conversion error from 'string' to 'google.protobuf.Timestamp'",
    ],
    ['1 / 0 == 0', 'division by zero'],
    ['1 % 0 == 0', 'modulus by zero'],
  ])('%s -> %s', (rule, problem) => {
    expect(judge(schemaWith(rule, { a: text }), { a: 'nope' }).errors).toEqual([
      `<nil>: Invalid value: "object": ${problem} evaluating rule: found`,
    ]);
  });

  test.each([
    ['{"__proto__": 1}["__proto__"] == 1 && {"constructor": 1}.size() == 1'],
    ['{"a": 1}.a == 1 && "a" in {"a": 1} && {"a": 1} == {"a": 1} && {"a": [1]}.map(k, k) == ["a"]'],
    ['"%.200f".format([1.5]).size() == 202 && "%.120e".format([1.5]).endsWith("0e+00")'],
    ['-9223372036854775807 - 1 < 0'],
    [
      'duration("0") == duration("0s") && duration("-1.5h") == duration("-90m") && duration(".5s") == duration("500ms")',
    ],
    ['timestamp("2024-02-29T23:59:59.5+14:00") < timestamp("2024-02-29T10:00:00Z")'],
  ])('%s -> true', (rule) => {
    expect(judge(schemaWith(rule, {}), {})).toEqual({ errors: [], passedOver: [] });
  });
});

test('expression that JavaScript would try in each of a thousand ways and more -> answered', () => {
  const { errors } = judge(schemaWith('self.a.matches("^(a+)+$")', { a: text }), {
    a: `${'a'.repeat(1_000)}!`,
  });
  expect(errors).toEqual(['<nil>: Invalid value: found']);
});

test('objects of a list -> equal by the fields of the schema', () => {
  const point = { type: 'object', properties: { x: { type: 'integer' }, note: text } };
  const schema = schemaWith(
    'self.l[0] == self.l[1] && self.l[0] in self.l && self.l == [self.l[1], self.l[0]]',
    {
      l: { type: 'array', items: point },
    },
  );
  const at = (x: number, other: string): Json => ({ x, other });
  expect(judge(schema, { l: [at(1, 'a'), at(1, 'b')] }).errors).toStrictEqual([]);
  expect(judge(schema, { l: [at(1, 'a'), at(2, 'a')] }).errors).toEqual(['<nil>: Invalid value: found']);
});

test('rule that does not compile was stored -> each object refused', () => {
  const { errors } = judge(schemaWith('self.nope', { a: text }), {});
  expect(errors).toEqual([
    expect.stringContaining('rule compile error: compilation failed: ERROR: <input>:1:5'),
  ]);
});

test('list of a type without an old value for each item, oldSelf in the rule -> not evaluated at creation', () => {
  expect(judge(schemaWith('self == oldSelf', { a: text }), { a: 'b' }).errors).toStrictEqual([]);
});

test('rule reads more than a million items -> ended, and no further rule is evaluated', () => {
  const schema: SchemaNode = {
    type: 'object',
    properties: { l: numbers },
    'x-kubernetes-validations': [
      { rule: 'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))' },
      { rule: 'false' },
    ],
  };
  const { errors } = judge(schema, { l: Array.from({ length: 1000 }, (_, index) => index) });
  expect(errors).toEqual([
    expect.stringContaining("'operation cancelled: actual cost limit exceeded': no further validation rules"),
  ]);
});

describe('value that was wrong before', () => {
  const schema = schemaWith('self.a == "right"', { a: text, b: text });

  test('and did not change -> passed over', () => {
    expect(judge(schema, { a: 'wrong' }, { a: 'wrong' })).toEqual({
      errors: [],
      passedOver: ['<nil>: Invalid value: found'],
    });
  });

  test('and changed elsewhere in it -> refused', () => {
    const { errors } = judge(schema, { a: 'wrong', b: 'new' }, { a: 'wrong' });
    expect(errors).toEqual(['<nil>: Invalid value: found']);
  });

  test('in an item of a list without keys, the list changed -> refused', () => {
    const list = { type: 'array', items: { ...text, 'x-kubernetes-validations': [{ rule: 'self == "x"' }] } };
    const item = '[1]: Invalid value: "y": failed rule: self == "x"';
    expect(judge(list, ['x', 'y'], ['y']).errors).toEqual([item]);
    expect(judge(list, ['x', 'y'], ['x', 'y']).passedOver).toEqual([item]);
  });
});
