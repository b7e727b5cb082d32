import { describe, expect, test } from '@jest/globals';
import { sizeOfSchema } from '../src/cel/schema-size.ts';
import { costForAll, newRuleCosts } from '../src/custom-resources/rule-costs.ts';
import { compileRules } from '../src/custom-resources/rules.ts';
import { ruleCompileErrors } from '../src/custom-resources/validate-rules.ts';
import { factorOf, itemWith, readCosts } from './recorded/rule-costs.ts';

// The factors are those of kube-apiserver 1.36.3: recorded/rule-costs.json, by recorded/record-rule-costs.ts.
describe('estimated cost, as recorded from kube-apiserver', () => {
  const rules = readCosts();
  const schema = itemWith(rules);
  const compiled = compileRules(schema, false);
  const size = sizeOfSchema(schema, false);

  test.each(rules.map((costed, index) => ({ ...costed, index })))(
    '$rule -> factor $factor',
    ({ index, maxItems, factor }) => {
      const program = compiled?.rules[index]?.program;
      if (compiled === undefined || size === undefined || program === undefined) {
        throw new Error('The rule is not compiled: take it out of rule-costs.json');
      }
      const cost = costForAll(program.estimateCost(compiled.type, size), maxItems, size.leastBytes);
      expect(factorOf(newRuleCosts(false).add('at', 'rule', cost)?.message)).toBe(factor);
    },
  );
});

describe('schema of a version that was there before', () => {
  const dear = (count: number): Parameters<typeof ruleCompileErrors>[0] => ({
    type: 'object',
    properties: {
      list: {
        ...{ type: 'array', maxItems: 30_000_000, items: { type: 'boolean' } },
        'x-kubernetes-validations': Array.from({ length: count }, () => ({ rule: 'self.all(x, x)' })),
      },
    },
  });

  test('rule above the limit, new schema -> refused', () => {
    expect(ruleCompileErrors(dear(1), 'at').map(({ message }) => message)).toEqual([
      expect.stringContaining('estimated rule cost exceeds budget by factor of 12.0x'),
      expect.stringContaining('contributed'),
      expect.stringContaining('for entire OpenAPIv3 schema exceeds budget by factor of 1.200000x'),
    ]);
  });

  test('rule above the limit, known schema -> let be', () => {
    const items = {
      ...dear(1),
      properties: { list: { ...dear(1).properties?.['list'], maxItems: 10_000_000 } },
    };
    expect(ruleCompileErrors(items, 'at')).toHaveLength(1);
    expect(ruleCompileErrors(items, 'at', true)).toStrictEqual([]);
  });

  test('all rules above their limit, known schema -> refused, as on the real server', () => {
    expect(ruleCompileErrors(dear(2), 'at', true).map(({ message }) => message)).toEqual([
      expect.stringContaining('contributed'),
      expect.stringContaining('contributed'),
      expect.stringContaining('for entire OpenAPIv3 schema'),
    ]);
  });
});
