import { describe, expect, test } from '@jest/globals';
import { labelMatcher, LabelSelectorError, type Deployment, type LabelSelector } from '@holdfast/core';
import { stored } from './stored.ts';

type Labels = Readonly<Record<string, string>>;

const expression = (operator: string, values?: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key: 'app', operator, ...(values === undefined ? {} : { values }) }],
});

describe('what a selector selects', () => {
  test.each<{
    selector: LabelSelector | null | undefined;
    missing: boolean;
    web: boolean;
    db: boolean;
  }>([
    { selector: undefined, missing: false, web: false, db: false },
    { selector: null, missing: false, web: false, db: false },
    { selector: {}, missing: true, web: true, db: true },
    { selector: { matchLabels: {}, matchExpressions: [] }, missing: true, web: true, db: true },
    { selector: { matchLabels: { app: 'web' } }, missing: false, web: true, db: false },
    { selector: expression('In', ['web']), missing: false, web: true, db: false },
    { selector: expression('In', ['db', 'web']), missing: false, web: true, db: true },
    { selector: expression('In', ['']), missing: false, web: false, db: false },
    { selector: expression('NotIn', ['web']), missing: true, web: false, db: true },
    { selector: expression('NotIn', ['db', 'web']), missing: true, web: false, db: false },
    { selector: expression('Exists'), missing: false, web: true, db: true },
    { selector: expression('Exists', []), missing: false, web: true, db: true },
    { selector: expression('DoesNotExist'), missing: true, web: false, db: false },
    { selector: expression('DoesNotExist', []), missing: true, web: false, db: false },
    {
      selector: { matchLabels: { app: 'web' }, ...expression('NotIn', ['db']) },
      missing: false,
      web: true,
      db: false,
    },
    {
      selector: { matchLabels: { app: 'web' }, ...expression('In', ['db']) },
      missing: false,
      web: false,
      db: false,
    },
    { selector: { matchLabels: { app: 'web', tier: 'front' } }, missing: false, web: false, db: false },
  ])('$selector -> label missing: $missing, web: $web, db: $db', ({ selector, missing, web, db }) => {
    const selects = labelMatcher(selector);
    expect(selects(undefined)).toBe(missing);
    expect(selects({})).toBe(missing);
    expect(selects({ other: 'web' })).toBe(missing);
    expect(selects({ app: 'web', other: 'db' })).toBe(web);
    expect(selects({ app: 'db' })).toBe(db);
  });

  test.each([
    ['app=web', 'label selector is "app=web"; give an object'],
    [['app=web'], 'label selector is ["app=web"]; give an object'],
    [{ app: 'web' }, 'label selector has "app"; it has matchLabels and matchExpressions'],
  ])('other form of a selector, %j -> refused, since it would select everything', (other, message) => {
    expect(() => labelMatcher(other as LabelSelector)).toThrow(LabelSelectorError);
    expect(() => labelMatcher(other as LabelSelector)).toThrow(message);
  });

  test('label with an empty value -> it is there', () => {
    const labels: Labels = { app: '' };
    expect(labelMatcher(expression('Exists'))(labels)).toBe(true);
    expect(labelMatcher(expression('DoesNotExist'))(labels)).toBe(false);
    expect(labelMatcher({ matchLabels: { app: '' } })(labels)).toBe(true);
    expect(labelMatcher(expression('NotIn', ['']))(labels)).toBe(false);
  });

  test('key that every object of the language has -> missing', () => {
    const exists = labelMatcher({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] });
    expect(exists({})).toBe(false);
    expect(exists({ constructor: 'x' })).toBe(true);
  });

  test('selector of a workload -> taken as it came', () => {
    const deployment: Deployment = {
      ...stored(),
      spec: { selector: { matchLabels: { app: 'web' } }, template: {} },
    };
    expect(labelMatcher(deployment.spec?.selector)({ app: 'web' })).toBe(true);
  });
});

describe('what is refused names the key, the value and the way out', () => {
  test.each<{ selector: unknown; message: string }>([
    {
      selector: expression('Equals', ['web']),
      message:
        'label selector, key "app": operator is "Equals"; allowed are In, NotIn, Exists and DoesNotExist',
    },
    { selector: expression('in', ['web']), message: 'operator is "in"' },
    { selector: expression('Gt', ['1']), message: 'operator is "Gt"' },
    { selector: { matchExpressions: [{ key: 'app' }] }, message: 'operator is undefined' },
    { selector: expression('In', []), message: 'key "app": In has no values; give one at least' },
    { selector: expression('In'), message: 'In has no values' },
    { selector: expression('NotIn', []), message: 'NotIn has no values' },
    { selector: expression('Exists', ['web']), message: 'Exists takes no values, but has ["web"]' },
    {
      selector: expression('DoesNotExist', ['web']),
      message: 'DoesNotExist takes no values, but has ["web"]',
    },
    {
      selector: expression('In', ['web', 'a,b', 'c,d']),
      message: '"a,b" can\'t be the value of a label; give up to 63 letters',
    },
    { selector: { matchLabels: { app: '-web' } }, message: '"-web" can\'t be the value' },
    { selector: { matchLabels: { app: 'web-' } }, message: '"web-" can\'t be the value' },
    { selector: { matchLabels: { app: 'web\n' } }, message: '"web\\n" can\'t be the value' },
    { selector: { matchLabels: { app: 'v'.repeat(64) } }, message: "can't be the value" },
    { selector: { matchLabels: { app: 7 } }, message: "7 can't be the value" },
    { selector: { matchLabels: { app: null } }, message: "null can't be the value" },
    {
      selector: { matchLabels: { '': 'web' } },
      message: 'key "": "" can\'t be the key of a label; give one',
    },
    { selector: { matchLabels: { 'an app': 'web' } }, message: '"an app" can\'t be the key' },
    { selector: { matchLabels: { '/app': 'web' } }, message: '"/app" can\'t be the key' },
    { selector: { matchLabels: { 'example.com/': 'web' } }, message: '"example.com/" can\'t be the key' },
    { selector: { matchLabels: { 'a/b/c': 'web' } }, message: '"a/b/c" can\'t be the key' },
    { selector: { matchLabels: { 'A.com/app': 'web' } }, message: '"A.com/app" can\'t be the key' },
    { selector: { matchLabels: { 'a..b/app': 'web' } }, message: '"a..b/app" can\'t be the key' },
    { selector: { matchLabels: { 'a-/app': 'web' } }, message: '"a-/app" can\'t be the key' },
    { selector: { matchLabels: { '-a/app': 'web' } }, message: '"-a/app" can\'t be the key' },
    { selector: { matchLabels: { 'a.-b/app': 'web' } }, message: '"a.-b/app" can\'t be the key' },
    { selector: { matchLabels: { 'a.b-/app': 'web' } }, message: '"a.b-/app" can\'t be the key' },
    { selector: { matchLabels: { __proto: 'web' } }, message: '"__proto" can\'t be the key' },
    { selector: { matchLabels: { ['k'.repeat(64)]: 'web' } }, message: "can't be the key" },
    { selector: { matchLabels: { [`${'p'.repeat(254)}/app`]: 'web' } }, message: "can't be the key" },
    { selector: { matchExpressions: [{ key: 7, operator: 'Exists' }] }, message: "7 can't be the key" },
  ])('$selector -> $message', ({ selector, message }) => {
    expect(() => labelMatcher(selector as LabelSelector)).toThrow(LabelSelectorError);
    expect(() => labelMatcher(selector as LabelSelector)).toThrow(
      expect.objectContaining({ name: 'LabelSelectorError', message: expect.stringContaining(message) }),
    );
  });

  test.each<{ labels: Labels }>([
    { labels: { a: '1' } },
    { labels: { '0': 'A' } },
    { labels: { 'App_v.1-x': 'A_b.c-1' } },
    { labels: { 'a-b.example.com/App': '' } },
    { labels: { [`${'p'.repeat(253)}/${'k'.repeat(63)}`]: 'v'.repeat(63) } },
  ])('$labels -> taken', ({ labels }) => {
    expect(labelMatcher({ matchLabels: labels })(labels)).toBe(true);
  });
});
