import { expect, test } from '@jest/globals';
import { matcherOf, parseLabelSelector } from '../src/selectors/label-selector.ts';

const none = undefined;
const empty = { env: '' };
const a = { env: 'a' };

test.each<[string, Readonly<Record<string, string>> | undefined, boolean]>([
  // k8s.io/apimachinery/pkg/labels: nothing between parentheses or commas is the empty value.
  ['env in ()', empty, true],
  ['env in ()', a, false],
  ['env in ()', none, false],
  ['env notin ()', empty, false],
  ['env notin ()', a, true],
  ['env in (a,)', empty, true],
  ['env in (,a)', empty, true],
  ['env in (,a)', a, true],
  ['env in (b,,a)', empty, true],
  ['env in (b)', a, false],
  ['env>4', { env: '5' }, true],
  ['env>4', a, false],
  // What every object of JavaScript has is no label.
  ['constructor', a, false],
  ['!constructor', a, true],
  ['toString notin (a)', a, true],
  ['constructor', { constructor: 'x' }, true],
])('%s, labels %j -> %s', (text, labels, matches) => {
  expect(parseLabelSelector(text)(labels)).toBe(matches);
});

const long = 'x'.repeat(64);
const key =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

test.each([
  ['env in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
  ['env in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['env in a', "unable to parse requirement: found 'a' expected: '('"],
  ['env in (a=b)', "unable to parse requirement: found '=', expected: ',' or ')'"],
  ['env in ((a))', "unable to parse requirement: found '(', expected: ',', ')' or identifier"],
  ['env in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['env=a,', "found '', expected: identifier after ','"],
  ['!env=a', "found '=', expected: ',' or 'end of string'"],
  ['env=a b', "found 'b', expected: ',' or 'end of string'"],
  ['env~a', `unable to parse requirement: <nil>: Invalid value: "env~a": ${key}`],
  [
    'env>a',
    `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    'env<9223372036854775808',
    `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    `!${long}`,
    `unable to parse requirement: <nil>: Invalid value: "${long}": name part must be no more than 63 bytes`,
  ],
  [
    `env=${long}`,
    `unable to parse requirement: values[0][env]: Invalid value: "${long}": must be no more than 63 bytes`,
  ],
  [
    `env notin (a,y${long},${long})`,
    `unable to parse requirement: [values[1][env]: Invalid value: "${long}": must be no more than 63 bytes, values[2][env]: Invalid value: "y${long}": must be no more than 63 bytes]`,
  ],
])('%s -> refused as by kube-apiserver', (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400, message }));
});

test.each([
  ['Exists', false],
  ['DoesNotExist', true],
  ['NotIn', true],
])('key constructor, %s, labels without it -> %s', (operator, matches) => {
  const matcher = matcherOf({ matchExpressions: [{ key: 'constructor', operator, values: ['a'] }] });
  expect(matcher({ env: 'a' })).toBe(matches);
});
