import { describe, expect, test } from '@jest/globals';
import {
  formatLabelSelector,
  labelMatcher,
  LabelSelectorError,
  parseLabelSelector,
  type LabelSelector,
} from '@holdfast/core';
import fc from 'fast-check';

const expressions = (...matchExpressions: NonNullable<LabelSelector['matchExpressions']>): LabelSelector => ({
  matchExpressions,
});

describe('reading', () => {
  test.each<{ text: string; selector: LabelSelector }>([
    { text: '', selector: {} },
    { text: ' \t\n', selector: {} },
    { text: 'app', selector: expressions({ key: 'app', operator: 'Exists', values: [] }) },
    { text: '!app', selector: expressions({ key: 'app', operator: 'DoesNotExist', values: [] }) },
    { text: ' ! app ', selector: expressions({ key: 'app', operator: 'DoesNotExist', values: [] }) },
    { text: 'app=web', selector: { matchLabels: { app: 'web' } } },
    { text: 'app==web', selector: { matchLabels: { app: 'web' } } },
    { text: ' app = web ', selector: { matchLabels: { app: 'web' } } },
    { text: 'app=', selector: { matchLabels: { app: '' } } },
    {
      text: 'app==,tier',
      selector: { matchLabels: { app: '' }, ...expressions({ key: 'tier', operator: 'Exists', values: [] }) },
    },
    { text: 'example.com/app=web', selector: { matchLabels: { 'example.com/app': 'web' } } },
    { text: 'app!=web', selector: expressions({ key: 'app', operator: 'NotIn', values: ['web'] }) },
    { text: 'app != ', selector: expressions({ key: 'app', operator: 'NotIn', values: [''] }) },
    { text: 'app in (a,b)', selector: expressions({ key: 'app', operator: 'In', values: ['a', 'b'] }) },
    { text: 'app in(a, b )', selector: expressions({ key: 'app', operator: 'In', values: ['a', 'b'] }) },
    { text: 'app in (,)', selector: expressions({ key: 'app', operator: 'In', values: ['', ''] }) },
    { text: 'app in (a,)', selector: expressions({ key: 'app', operator: 'In', values: ['a', ''] }) },
    { text: 'app  in  (a)', selector: { matchLabels: { app: 'a' } } },
    { text: 'app in (a)', selector: { matchLabels: { app: 'a' } } },
    { text: 'app in ()', selector: { matchLabels: { app: '' } } },
    { text: 'app notin ( )', selector: expressions({ key: 'app', operator: 'NotIn', values: [''] }) },
    { text: 'app notin (a)', selector: expressions({ key: 'app', operator: 'NotIn', values: ['a'] }) },
    {
      text: 'app\nnotin\n(a,b)',
      selector: expressions({ key: 'app', operator: 'NotIn', values: ['a', 'b'] }),
    },
    { text: 'in', selector: expressions({ key: 'in', operator: 'Exists', values: [] }) },
    {
      text: 'in in (in,notin)',
      selector: expressions({ key: 'in', operator: 'In', values: ['in', 'notin'] }),
    },
    { text: 'notin=in', selector: { matchLabels: { notin: 'in' } } },
    { text: 'app=web,app=web', selector: { matchLabels: { app: 'web' } } },
    {
      text: 'app=web,app=db',
      selector: {
        matchLabels: { app: 'web' },
        ...expressions({ key: 'app', operator: 'In', values: ['db'] }),
      },
    },
    {
      text: 'app=web, tier!=db ,env in (a,b),!canary',
      selector: {
        matchLabels: { app: 'web' },
        ...expressions(
          { key: 'tier', operator: 'NotIn', values: ['db'] },
          { key: 'env', operator: 'In', values: ['a', 'b'] },
          { key: 'canary', operator: 'DoesNotExist', values: [] },
        ),
      },
    },
  ])('"$text" -> $selector', ({ text, selector }) => {
    expect(parseLabelSelector(text)).toStrictEqual(selector);
  });

  test.each([
    { text: ',', message: `label selector: can't read ","; write key, !key, key=a` },
    { text: ',app', message: `can't read ","` },
    { text: 'app,', message: `can't read ""` },
    { text: 'app, ', message: `can't read ""` },
    { text: 'app,,tier', message: `can't read ","` },
    { text: '!', message: `can't read "!"` },
    { text: '!!app', message: `can't read "!!app"` },
    { text: '!app=web', message: `can't read "!app=web"` },
    { text: 'app\u00a0=web', message: `can't read` },
    { text: 'app=web\u000b', message: `can't read` },
    { text: 'app in (a,\u2003b)', message: `can't read` },
    { text: 'app web', message: `can't read "app web"` },
    { text: 'app=web db', message: `can't read "app=web db"` },
    { text: 'app===web', message: `can't read "app===web"` },
    { text: 'app!==web', message: `can't read "app!==web"` },
    { text: '=web', message: `can't read "=web"` },
    { text: 'app>1', message: `can't read "app>1"` },
    { text: 'app<1', message: `can't read "app<1"` },
    { text: 'app in', message: `can't read "app in"` },
    { text: 'app in a', message: `can't read "app in a"` },
    { text: 'app in (a', message: `can't read "app in (a"` },
    { text: 'app in (a,b', message: `can't read "app in (a,b"` },
    { text: 'app in a)', message: `can't read "app in a)"` },
    { text: 'app in (a) b', message: `can't read "app in (a) b"` },
    { text: 'app in ((a))', message: `can't read "app in ((a))"` },
    { text: 'app IN (a)', message: `can't read "app IN (a)"` },
    { text: 'an app in (a)', message: `can't read "an app in (a)"` },
    { text: 'in(a)', message: `can't read "in(a)"` },
    { text: 'xin (a)', message: `can't read "xin (a)"` },
    { text: '(app)', message: `can't read "(app)"` },
    { text: 'app in (a b)', message: '"a b" can\'t be the value of a label' },
    { text: 'app in (a=b)', message: '"a=b" can\'t be the value of a label' },
    { text: 'app=-web', message: '"-web" can\'t be the value of a label' },
    { text: '__proto__=web', message: '"__proto__" can\'t be the key of a label' },
    { text: 'a/b/c', message: '"a/b/c" can\'t be the key of a label' },
  ])('"$text" -> refused', ({ text, message }) => {
    expect(() => parseLabelSelector(text)).toThrow(LabelSelectorError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test('long text that is no selector -> refused at once, not in the square of its length', () => {
    for (const text of [',', 'a,', '(', 'a in (', 'a ', '!', 'a='].map((each) => each.repeat(100_000))) {
      expect(() => parseLabelSelector(text)).toThrow(LabelSelectorError);
    }
  });
});

describe('writing', () => {
  test.each<{ selector: LabelSelector; text: string }>([
    { selector: {}, text: '' },
    { selector: { matchLabels: {}, matchExpressions: [] }, text: '' },
    { selector: { matchLabels: { tier: 'db', app: 'web' } }, text: 'app=web,tier=db' },
    { selector: { matchLabels: { app: '' } }, text: 'app=' },
    { selector: expressions({ key: 'app', operator: 'In', values: ['b', 'a', 'b'] }), text: 'app in (a,b)' },
    { selector: expressions({ key: 'app', operator: 'In', values: ['a', 'a'] }), text: 'app=a' },
    { selector: expressions({ key: 'app', operator: 'In', values: ['a', ''] }), text: 'app in (,a)' },
    { selector: expressions({ key: 'app', operator: 'NotIn', values: ['a'] }), text: 'app!=a' },
    { selector: expressions({ key: 'app', operator: 'NotIn', values: [''] }), text: 'app!=' },
    { selector: expressions({ key: 'app', operator: 'NotIn', values: ['b', 'a'] }), text: 'app notin (a,b)' },
    { selector: expressions({ key: 'app', operator: 'Exists' }), text: 'app' },
    { selector: expressions({ key: 'app', operator: 'DoesNotExist' }), text: '!app' },
    {
      selector: {
        matchLabels: { app: 'web' },
        ...expressions({ key: 'app', operator: 'In', values: ['web'] }),
      },
      text: 'app=web',
    },
    {
      selector: {
        matchLabels: { app: 'web' },
        ...expressions({ key: 'zone', operator: 'Exists' }, { key: 'a', operator: 'DoesNotExist' }),
      },
      text: '!a,app=web,zone',
    },
  ])('$selector -> "$text"', ({ selector, text }) => {
    expect(formatLabelSelector(selector)).toBe(text);
  });

  test('value that would say something else -> refused', () => {
    expect(() => formatLabelSelector({ matchLabels: { app: 'web,tier=db' } })).toThrow(LabelSelectorError);
    expect(() => formatLabelSelector(expressions({ key: 'app', operator: 'Gt', values: ['1'] }))).toThrow(
      'operator is "Gt"',
    );
  });
});

const key = fc.constantFrom('app', 'in', 'notin', 'example.com/app', '0', 'constructor');
const value = fc.constantFrom('', 'a', 'b', 'in', 'A_b.c-1');
const anySelector: fc.Arbitrary<LabelSelector> = fc.record(
  {
    matchLabels: fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
    matchExpressions: fc.array(
      fc.oneof(
        fc.record({
          key,
          operator: fc.constantFrom('In', 'NotIn'),
          values: fc.array(value, { minLength: 1, maxLength: 3 }),
        }),
        fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);
const anyLabels = fc.dictionary(key, value, { maxKeys: 4 });

test('any selector, written and read -> selects the same, and is written the same', () => {
  fc.assert(
    fc.property(anySelector, fc.array(anyLabels), (selector, objects) => {
      const text = formatLabelSelector(selector);
      const read = parseLabelSelector(text);
      expect(formatLabelSelector(read)).toBe(text);
      expect(objects.map(labelMatcher(read))).toEqual(objects.map(labelMatcher(selector)));
    }),
  );
});

test('any selector in another order -> the same text', () => {
  fc.assert(
    fc.property(anySelector, (selector) => {
      const { matchLabels = {}, matchExpressions = [] } = selector;
      const turned = {
        matchLabels: Object.fromEntries(Object.entries(matchLabels).toReversed()),
        matchExpressions: matchExpressions.toReversed(),
      };
      expect(formatLabelSelector(turned)).toBe(formatLabelSelector(selector));
    }),
  );
});

test('any text -> read, or refused as a selector', () => {
  const parts = fc.constantFrom(' ', ',', '(', ')', '!', '=', '<', 'in', 'notin', 'app', '/', '-');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts).map((all) => all.join('')),
      ),
      (text) => {
        try {
          const selector = parseLabelSelector(text);
          expect(parseLabelSelector(formatLabelSelector(selector))).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(LabelSelectorError);
        }
      },
    ),
  );
});
