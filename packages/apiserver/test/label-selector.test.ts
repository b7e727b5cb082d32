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
  // What every object of JavaScript has is no label.
  ['constructor', a, false],
  ['!constructor', a, true],
  ['toString notin (a)', a, true],
  ['constructor', { constructor: 'x' }, true],
])('%s, labels %j -> %s', (text, labels, matches) => {
  expect(parseLabelSelector(text)(labels)).toBe(matches);
});

test.each(['env in (a b)', 'env in (a', 'env in a', 'env in (a=b)', 'env in ((a))'])('%s -> 400', (text) => {
  expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400 }));
});

test.each([
  ['Exists', false],
  ['DoesNotExist', true],
  ['NotIn', true],
])('key constructor, %s, labels without it -> %s', (operator, matches) => {
  const matcher = matcherOf({ matchExpressions: [{ key: 'constructor', operator, values: ['a'] }] });
  expect(matcher({ env: 'a' })).toBe(matches);
});
