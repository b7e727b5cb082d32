import { expressions } from './expressions.ts';

/*
 * Requests about rules in CEL: definitions that are refused (sent as a dry run), one that has many rules, and objects
 * of its kind. Lines as replay.ts reads them.
 */

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'rules.example.com';
const things = `/apis/${group}/v1/things`;

type Schema = Readonly<Record<string, unknown>>;

const rule = (text: string, more: Schema = {}): Schema => ({
  'x-kubernetes-validations': [{ rule: text, ...more }],
});

function definitionOf(plural: string, spec: Schema): string {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec, status: { type: 'object', properties: { phase: { type: 'string' } } } },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  });
}

const text = { type: 'string', maxLength: 40 };
const fields = {
  a: text,
  n: { type: 'integer' },
  list: { type: 'array', maxItems: 5, items: text },
  'odd-name': text,
};

const onSpec = (text: string, more: Schema = {}): Schema => ({
  type: 'object',
  properties: fields,
  ...rule(text, more),
});

const refusedSpecs: readonly Schema[] = [
  onSpec('self.nope == 1'),
  onSpec('self.a.nope == 1'),
  onSpec('nope == 1'),
  onSpec('self.a.nope()'),
  onSpec('nope(self.a) == 1'),
  onSpec('self.a'),
  onSpec('self.a + 1 == 2'),
  onSpec('self.a == 1'),
  onSpec('self.a == null'),
  onSpec('self.n.startsWith("a")'),
  onSpec('has(self.a) &&\n  self.nope', { message: 'no' }),
  onSpec('has(self.a) &&\n  self.a != ""'),
  onSpec(''),
  onSpec('true', { message: ' ' }),
  onSpec('true', { message: 'a\nb' }),
  onSpec('true', { messageExpression: 'self.n' }),
  onSpec('true', { messageExpression: 'self.nope' }),
  onSpec('true', { reason: 'Odd' }),
  onSpec('true', { fieldPath: '.nope' }),
  onSpec('true', { fieldPath: 'a' }),
  onSpec('true', { optionalOldSelf: true }),
  {
    type: 'object',
    properties: { list: { type: 'array', maxItems: 3, items: { ...text, ...rule('self == oldSelf') } } },
  },
  onSpec('b"a".hex() == "61"'),
];

/** Where no rule may be. */
const nestedSpecs: readonly Schema[] = [
  ['allOf', [rule('true')]],
  ['anyOf', [rule('true')]],
  ['oneOf', [{ properties: { a: rule('true') } }]],
  ['not', rule('')],
  ['allOf', [{ properties: { a: rule('self.nope', { message: ' ' }) } }, { anyOf: [rule('true')] }]],
].map(([field, schema]) => ({ type: 'object', properties: fields, [field as string]: schema }));

const whole = { type: 'integer' };

/** Defaults that are no values of their schemas. */
const defaultSpecs: readonly Schema[] = [
  { a: { ...text, default: 'x', ...rule('self == "y"') } },
  { a: { ...whole, default: 5, ...rule('self < 3', { message: 'no', reason: 'FieldValueForbidden' }) } },
  { a: { ...whole, default: 5, ...rule('self < 3', { messageExpression: '"is " + string(self)' }) } },
  { a: { ...whole, default: 5, ...rule('self != oldSelf') } },
  { a: { ...whole, default: 5, ...rule('oldSelf.hasValue()', { optionalOldSelf: true }) } },
  { a: { ...whole, default: 5, ...rule('!oldSelf.hasValue()', { optionalOldSelf: true }) } },
  { a: { ...whole, default: 5, ...rule('1 / (self - 5) == 1') } },
  { a: { ...whole, default: 5, ...rule('self.nope') } },
  { a: { ...whole, default: 'x', ...rule('self < 3') } },
  { a: { ...whole, default: 9, maximum: 8, ...rule('self < 3') } },
  { a: { ...whole, nullable: true, default: null, ...rule('self < 3') } },
  {
    o: {
      ...{ type: 'object', default: { n: 5 }, properties: { n: { ...whole, ...rule('self < 3') } } },
      ...rule('self.n < 4', { fieldPath: '.n' }),
    },
  },
  {
    o: {
      ...{ type: 'object', default: {}, properties: { n: { ...whole, default: 5, ...rule('self < 3') } } },
      ...rule('has(self.n)'),
    },
  },
  { o: { type: 'object', default: { x: 1 }, properties: { n: whole }, ...rule('self.n < 4') } },
  { o: { type: 'object', default: { n: 'x' }, properties: { n: whole }, ...rule('self.n < 4') } },
  {
    l: {
      ...{ type: 'array', maxItems: 3, default: [1, 9], items: { ...whole, ...rule('self < 3') } },
      ...rule('self.size() == 1'),
    },
  },
  {
    l: {
      ...{ type: 'array', maxItems: 3 },
      items: { type: 'object', properties: { n: { ...whole, default: 9, ...rule('self < 3') } } },
    },
  },
  {
    m: {
      ...{ type: 'object', maxProperties: 3, default: { k: 9 } },
      additionalProperties: { ...whole, ...rule('self < 3') },
    },
  },
  {
    e: {
      ...{ type: 'object', 'x-kubernetes-embedded-resource': true },
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } },
      ...rule('self.kind == "B"'),
    },
  },
].map((properties) => ({ type: 'object', properties }));

const patternSpecs: readonly Schema[] = [
  ...['(?P<x>a)(?P<x>b)', '\\p{letter}', '\\p{nope}', '(', 'a**', '(?P<a-b>c)', 'a\\'].map(
    (pattern): Schema => ({ type: 'object', properties: { a: { ...text, pattern } } }),
  ),
  onSpec('self.a.matches("(?P<x>a)(?P<x>\\\\p{lowercase letter})")'),
];

const port = { 'x-kubernetes-int-or-string': true };
const anyText = { type: 'string' };
const onField = (field: Schema): Schema => ({ type: 'object', properties: { field } });
const listOf = (items: Schema, more: Schema = {}): Schema => onField({ type: 'array', items, ...more });

/** A rule that costs 1, as often as there are items. */
const counted = (maxItems: number): Schema => listOf({ type: 'boolean', ...rule('self') }, { maxItems });

/** Rules that cost more and more. */
const dear = (count: number, first: number): Schema => ({
  ...{ type: 'array', maxItems: first, items: { type: 'integer' } },
  'x-kubernetes-validations': Array.from({ length: count }, (_, index) => ({
    rule: `self.all(x, x > 1${' + 1'.repeat(index)})`,
  })),
});

const dearSpecs: readonly Schema[] = [
  // Up to the limit, above it, and what is rounded.
  ...[10_000_000, 10_000_001, 10_078_125, 14_999_999, 15_000_000, 22_500_000, 27_500_000].map(counted),
  ...[1_000_000_000, 1_000_000_001].map(counted),
  // How often a rule is evaluated: as the lists and maps above allow it, else as what fits into a request.
  listOf({ ...text, ...rule('self.matches("^[a-z]+$")') }),
  listOf({ ...anyText, ...rule('self.matches("^[a-z]+$")') }, { maxItems: 5 }),
  listOf({ ...anyText, ...rule('self.startsWith("a")') }),
  listOf({
    ...{ type: 'object', required: ['a', 'n', 'd'] },
    properties: { a: text, n: { type: 'integer' }, d: { type: 'integer', default: 1 } },
    ...rule(
      'self.a.startsWith("abcdefghijklmnopqrstuvwxyz") && self.a.startsWith("abcdefghijklmnopqrstuvwxyz")',
    ),
  }),
  onField({ type: 'object', additionalProperties: { ...text, ...rule('self.contains(self)') } }),
  onField({
    ...{ type: 'object', maxProperties: 2_000_000 },
    additionalProperties: { ...text, ...rule('self.startsWith("abc") && self.endsWith("abc")') },
  }),
  listOf({
    ...{ type: 'array', maxItems: 2_000 },
    items: { type: 'array', maxItems: 3_000, items: { type: 'integer', ...rule('self > 0') } },
  }),
  listOf(
    { type: 'array', maxItems: 2_000, items: { type: 'integer', ...rule('self > 0') } },
    { maxItems: 3_000 },
  ),
  onField({ type: 'array', items: text, ...rule('self.all(a, self.exists_one(b, a == b))') }),
  onField({
    type: 'object',
    additionalProperties: text,
    ...rule('self.all(a, self.all(b, self[a] == self[b]))'),
  }),
  onField({ ...port, ...rule('self.matches("^a")') }),
  onField({ type: 'string', enum: ['a', 'bc'], ...rule(`self.matches("${'x'.repeat(100)}")`) }),
  // What the least value of each type takes of a request.
  ...[
    { flag: { type: 'boolean' } },
    { day: { type: 'string', format: 'date' }, time: { type: 'string', format: 'date-time' } },
    { wait: { type: 'string', format: 'duration' }, port, é: anyText },
    {
      count: { type: 'integer', default: 1 },
      size: { type: 'integer' },
      none: { type: 'integer', nullable: true, default: null },
    },
    { list: { type: 'array', items: text }, map: { type: 'object', additionalProperties: text } },
  ].map((properties, index) =>
    listOf({
      ...{ type: 'object', required: [...Object.keys(properties), 'text'] },
      properties: { ...properties, text },
      ...rule(`self.text.matches("${'x'.repeat([24, 52, 36, 28, 28][index] ?? 0)}")`),
    }),
  ),
  onField({ type: 'array', items: { type: 'integer' }, ...rule('self.all(x, x > 1 && x > 2 && x > 3)') }),
  // What is known of every resource.
  listOf({
    ...{
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    ...rule('self.metadata.name.startsWith("a") && self.kind.contains("a")'),
  }),
  listOf({
    ...{ type: 'object', 'x-kubernetes-embedded-resource': true },
    properties: {
      ...{ apiVersion: text, kind: text },
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
    ...rule('self.metadata.name.contains(self.kind)'),
  }),
  // Messages are made once.
  listOf(
    { ...text, ...rule('self.size() < 3', { messageExpression: 'self + "."' }) },
    { maxItems: 1_000_000 },
  ),
  onField({
    ...{ type: 'array', items: anyText },
    ...rule('self.size() < 3', { messageExpression: 'self.map(x, x + ".").join(",")' }),
  }),
  listOf({ ...anyText, ...rule('self != self + "."', { messageExpression: '[self].join(self)' }) }),
  // With what is wrong otherwise.
  listOf({ ...anyText, ...rule('self.matches(oldSelf)') }),
  listOf({ ...anyText, ...rule('self.matches("a+")', { optionalOldSelf: true }) }),
  listOf({ ...anyText, ...rule('self.matches("a+")', { messageExpression: '1' }) }),
  listOf({ ...anyText, ...rule('self.nope', { messageExpression: 'self' }) }),
  // All together.
  onField(dear(12, 900_000)),
  ...[10_000_000, 1_000_000].map((maxItems) =>
    listOf(
      {
        type: 'boolean',
        'x-kubernetes-validations': Array.from({ length: maxItems > 1_000_000 ? 10 : 101 }, () => ({
          rule: 'self',
        })),
      },
      { maxItems },
    ),
  ),
  onField(dear(4, 2_000_000)),
  listOf(
    {
      type: 'integer',
      'x-kubernetes-validations': Array.from({ length: 103 }, () => ({ rule: 'self > 0' })),
    },
    { maxItems: 490_000 },
  ),
  listOf(dear(30, 30), { maxItems: 10_000 }),
];

const member = {
  type: 'object',
  required: ['name'],
  properties: { name: text, size: { type: 'integer' } },
  ...rule('self.size >= oldSelf.size', { message: 'must not shrink' }),
};

const thingSpec: Schema = {
  type: 'object',
  properties: {
    plain: { type: 'integer', ...rule('self < 10') },
    text: { ...text, ...rule('self.startsWith("a")', { message: ' must begin with a ' }) },
    told: { ...text, ...rule('self.size() < 3', { messageExpression: '"has too much: " + self' }) },
    mute: { ...text, ...rule('self == ""', { messageExpression: '""', message: 'the other message' }) },
    forbidden: { ...text, ...rule('false', { reason: 'FieldValueForbidden', message: 'not here' }) },
    required: { ...text, ...rule('false', { reason: 'FieldValueRequired', message: 'more' }) },
    twice: { ...text, ...rule('false', { reason: 'FieldValueDuplicate', message: 'again' }) },
    range: {
      type: 'object',
      properties: { low: { type: 'integer' }, high: { type: 'integer' } },
      'x-kubernetes-validations': [
        { rule: 'self.low <= self.high', message: 'low must not exceed high' },
        { rule: '!has(self.low) || self.low > 0', fieldPath: '.low' },
      ],
    },
    fixed: { ...text, ...rule('self == oldSelf', { message: 'is immutable' }) },
    optional: {
      ...text,
      ...rule('!oldSelf.hasValue() || oldSelf.value() != self || self == "x"', {
        optionalOldSelf: true,
        message: 'must change',
      }),
    },
    members: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: member,
    },
    set: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: text,
      ...rule('self == oldSelf', { message: 'must have the same items' }),
    },
    labels: {
      type: 'object',
      maxProperties: 5,
      additionalProperties: { ...text, ...rule('self != "bad"') },
      ...rule('self.all(key, key.matches("^[a-z]+$"))', { message: 'keys are lower case' }),
    },
    list: {
      type: 'array',
      maxItems: 5,
      items: { type: 'integer' },
      'x-kubernetes-validations': [
        { rule: 'self.isSorted()', message: 'must be sorted' },
        { rule: 'self.sum() < 100' },
        { rule: 'self.min() != 7 && self.max() != 8' },
        { rule: 'self[1] > 0' },
        { rule: '100 / self[0] > 0' },
      ],
    },
    port: { ...port, ...rule('type(self) == int ? self < 100 : self.endsWith("%")') },
    odd: {
      type: 'object',
      properties: { 'odd-name': text, namespace: text, a__b: text },
      ...rule('self.odd__dash__name == self.__namespace__ && self.a__underscores__b == ""'),
    },
    when: { type: 'string', format: 'date-time', ...rule('self > timestamp("2024-01-01T00:00:00Z")') },
    wait: { type: 'string', format: 'duration', ...rule('self <= duration("1h")') },
    nothing: {
      type: 'object',
      properties: { n: { type: 'integer', nullable: true } },
      ...rule('!has(self.n)', { message: 'n is there' }),
    },
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...rule('self.kind == "Pod" && self.metadata.name.startsWith("p")'),
    },
  },
};

const table: readonly (readonly [expression: string, isTrue: boolean])[] = [
  ['"abc".charAt(1) == "b"', true],
  ['"aéb".indexOf("b") == 2 && "abab".lastIndexOf("b") == 3 && "abab".indexOf("b", 2) == 3', true],
  ['"a,b,c".split(",", 2)[1] == "b,c"', true],
  ['"ÀbC".lowerAscii() == "Àbc" && "abc".upperAscii() == "ABC"', true],
  ['"aaa".replace("a", "b", 2) == "bba" && "a.a".replace(".", "") == "aa"', true],
  ['"hello".substring(1, 3) == "el" && " a ".trim() == "a"', true],
  ['"%s is %d, %.2f, %x, %s".format(["a", 1, 1.5, 255, ["b", "c"]]) == "a is 1, 1.50, ff, [b, c]"', true],
  ['"abc123".find("[0-9]+") == "123" && "a1b2c3".findAll("[0-9]", 2) == ["1", "2"]', true],
  ['"éa".matches("^\\\\p{L}+$")', true],
  ['sets.contains([1, 2], [2]) && sets.equivalent([1, 2], [2, 1]) && !sets.intersects([1], [2])', true],
  ['url("https://u@h:80/a%20b?x=1&x=2").getHost() == "h:80" && isURL("/a") && !isURL("a")', true],
  [
    'url("https://h:80/a?x=1&x=2").getQuery()["x"] == ["1", "2"] && url("https://[::1]:1/").getHostname() == "::1"',
    true,
  ],
  [
    'url("http://h/p").getScheme() == "http" && url("http://h:8/p").getPort() == "8" && url("http://h/a b") == url("x")',
    false,
  ],
  [
    'quantity("1Gi").isGreaterThan(quantity("1G")) && quantity("1024Mi") == quantity("1Gi") && isQuantity("5m")',
    true,
  ],
  ['quantity("2").add(1).compareTo(quantity("3000m")) == 0 && quantity("1.5").isInteger() == false', true],
  ['quantity("50k").asInteger() == 50000 && sign(quantity("-1")) == -1', true],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && !isIP("10.0.0") && ip("::1").isLoopback()', true],
  [
    'cidr("fd00::/8").containsCIDR(cidr("fd00:1::/32")) && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
    true,
  ],
  [
    'ip("169.254.1.1").isLinkLocalUnicast() && ip("8.8.8.8").isGlobalUnicast() && ip("fe80::1").family() == 6',
    true,
  ],
  ['[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6] && [1, 2].exists_one(x, x == 1)', true],
  ['{"a": 1}.exists(k, k == "a") && {"a": 1}["a"] == 1 && "a" in {"a": 1}', true],
  ['int("42") == 42 && double("1.5") == 1.5 && string(5) == "5" && int(2.9) == 2', true],
  ['duration("90m").getHours() == 1 && duration("1h") == duration("60m")', true],
  [
    'timestamp("2024-03-01T12:30:00Z").getFullYear() == 2024 && timestamp("2024-03-01T12:30:00Z").getMonth() == 2',
    true,
  ],
  ['timestamp("2024-03-01T00:00:00Z") - timestamp("2024-02-29T00:00:00Z") == duration("24h")', true],
  ['optional.of(1).hasValue() && optional.none().orValue(2) == 2 && {"a": 1}[?"b"].orValue(3) == 3', true],
  ['1 / 0 == 1 || true', true],
  ['[1, 2].map(x, [x]) == [[1], [2]] && [[1]] + [[2]] == [[1], [2]]', true],
  ['dyn(1) == dyn(1.0) && 1 < 2.5 && dyn("a") != dyn(1)', true],
  ['size("é") == 1 && b"abc".size() == 3 && "a\\u00e9" == "aé"', true],
  ['9223372036854775807 + 1 > 0', false],
  ['{"a": 1}.b == 1', false],
  ['[5, 6, 5].indexOf(6) == 1 && [5, 6, 5].lastIndexOf(5) == 2 && [1].indexOf(2) == -1', true],
  ['b"a" < b"b" && b"ab" >= b"a" && b"" <= b"" && !(b"b" > b"ba")', true],
  ['string(duration("1h30m")) == "5400s" && string(duration("-1500ms")) == "-1.5s"', true],
];

const tableSpec: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    table.map(([expression], index) => [`t${index}`, { type: 'boolean', ...rule(expression) }]),
  ),
};

const bounded = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems });
const textOf = (maxLength: number): Schema => ({ type: 'string', maxLength });
const objectOf = (properties: Schema): Schema => ({ type: 'object', properties });
const mapOf = (values: Schema, maxProperties: number): Schema => ({
  ...{ type: 'object', additionalProperties: values, maxProperties },
});
const integer = { type: 'integer' };

/** What the expressions of expressions.ts are about. */
const valueSchema: Schema = {
  ...objectOf({
    ...{ t: textOf(10), u: anyText, i: integer, n: { type: 'number' }, b: { type: 'boolean' } },
    by: { type: 'string', format: 'byte', maxLength: 50 },
    d: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    ios: { ...port, maxLength: 10 },
    l: bounded(textOf(12), 7),
    li: bounded(integer, 9),
    lo: bounded(objectOf({ a: textOf(8), o: objectOf({ x: textOf(3), y: integer }) }), 6),
    m: mapOf(textOf(9), 4),
    mi: mapOf(integer, 5),
    mo: mapOf(objectOf({ a: textOf(8), l: bounded(integer, 3) }), 5),
    o: objectOf({ p: textOf(11), q: objectOf({ r: textOf(13) }) }),
    ll: bounded(bounded(textOf(6), 4), 3),
    lli: bounded(bounded(integer, 4), 3),
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }),
  required: ['t'],
};

const value = {
  ...{ t: 'abc', i: 5, n: 1.5, b: true, by: 'YWI=', d: '90m', ios: 3 },
  ts: '2024-03-01T12:30:00.123456789+02:00',
  l: ['b', 'a', 'c'],
  li: [3, 1, 2],
  lo: [{ a: 'q', o: { x: 'x', y: 2 } }, { a: 'p' }],
  m: { x: '1', y: '2' },
  mi: { x: 1, y: 2 },
  mo: { k: { a: 'z', l: [1, 2] } },
  o: { p: 'pp', q: { r: 'r' } },
  ll: [['a', 'b'], ['c']],
  lli: [[1, 2], [3]],
};

/** Each expression is a rule of its own, with itself for a message. */
const withRules = (rules: readonly string[]): Schema => ({
  ...valueSchema,
  'x-kubernetes-validations': rules.map((text) => ({ rule: text, message: text })),
});

const expressionRequests = Object.entries(expressions).map(
  ([about, { refused, evaluated }], index): readonly [string, readonly string[]] => [
    `expressions: ${about}`,
    [
      ...(refused.length === 0
        ? []
        : [`POST ${definitions}?dryRun=All ${definitionOf(`wrong${index}s`, withRules(refused))}`]),
      `POST ${definitions} ${definitionOf(`about${index}s`, withRules(evaluated))}`,
      `POST /apis/${group}/v1/about${index}s ${JSON.stringify({
        ...{ apiVersion: `${group}/v1`, kind: `About${index}`, metadata: { name: 'value' }, spec: value },
      })}`,
    ],
  ],
);

const thing = (name: string, spec: Schema, more: Schema = {}): string =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec, ...more });

const wrong: readonly Schema[] = [
  { plain: 10 },
  { text: 'b' },
  { told: 'long' },
  { mute: 'a' },
  { forbidden: 'a' },
  { required: 'a' },
  { twice: 'a' },
  { range: { low: 2, high: 1 } },
  { range: { low: -1, high: 1 } },
  { range: { high: 1 } },
  { labels: { a: 'bad' } },
  { labels: { A: 'b' } },
  { list: [2, 1] },
  { list: [50, 60] },
  { list: [1, 8] },
  { list: [1] },
  { list: [0, 1] },
  { port: 100 },
  { port: '5' },
  { odd: { 'odd-name': 'a', namespace: 'b', a__b: '' } },
  { when: '2023-01-01T00:00:00Z' },
  { wait: '61m' },
  { nothing: { n: 1 } },
  { embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q' } } },
  { plain: 'x', text: 'b' },
];

const right: Schema = {
  plain: 9,
  text: 'ab',
  told: 'ab',
  range: { low: 1, high: 2 },
  fixed: 'a',
  optional: 'b',
  members: [
    { name: 'm', size: 2 },
    { name: 'n', size: 2 },
  ],
  set: ['a', 'b'],
  labels: { a: 'b' },
  list: [1, 2],
  port: '5%',
  odd: { 'odd-name': 'a', namespace: 'a', a__b: '' },
  when: '2025-01-01T00:00:00Z',
  wait: '30m',
  nothing: { n: null },
  embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
};

const patch = (spec: Schema): string => `PATCH:merge ${things}/right ${JSON.stringify({ spec })}`;

export const scenarios: Readonly<Record<string, readonly string[]>> = {
  'definitions that are refused': refusedSpecs.map(
    (spec, index) => `POST ${definitions}?dryRun=All ${definitionOf(`refused${index}s`, spec)}`,
  ),
  'definitions whose rules stand where none may be': nestedSpecs.map(
    (spec, index) => `POST ${definitions}?dryRun=All ${definitionOf(`nested${index}s`, spec)}`,
  ),
  'definitions with defaults': defaultSpecs.map(
    (spec, index) => `POST ${definitions}?dryRun=All ${definitionOf(`default${index}s`, spec)}`,
  ),
  'definitions with patterns': patternSpecs.map(
    (spec, index) => `POST ${definitions}?dryRun=All ${definitionOf(`pattern${index}s`, spec)}`,
  ),
  'definitions whose rules cost too much': dearSpecs.map(
    (spec, index) => `POST ${definitions}?dryRun=All ${definitionOf(`dear${index}s`, spec)}`,
  ),
  'objects that are judged': [
    `POST ${definitions} ${definitionOf('things', thingSpec)}`,
    ...wrong.map((spec, index) => `POST ${things} ${thing(`w${index}`, spec)}`),
    `POST ${things} ${thing('right', right)}`,
    patch({ fixed: 'b', optional: 'x' }),
    patch({ fixed: null, optional: 'x' }),
    patch({ plain: 8 }),
    patch({ optional: 'c' }),
    patch({ plain: 9 }),
    patch({
      optional: 'x',
      members: [
        { name: 'n', size: 1 },
        { name: 'm', size: 3 },
      ],
    }),
    patch({ optional: 'x', set: ['b', 'a'] }),
    patch({ set: ['b', 'c'] }),
    `PATCH:merge ${things}/right/status {"status":{"phase":"a"}}`,
  ],
  ...Object.fromEntries(expressionRequests),
  'expressions that are evaluated': [
    `POST ${definitions} ${definitionOf('tables', tableSpec)}`,
    ...table.map(
      ([, isTrue], index) =>
        `POST /apis/${group}/v1/tables ${JSON.stringify({
          apiVersion: `${group}/v1`,
          kind: 'Table',
          metadata: { name: `${isTrue ? 'true' : 'false'}-${index}` },
          spec: { [`t${index}`]: true },
        })}`,
    ),
  ],
};
