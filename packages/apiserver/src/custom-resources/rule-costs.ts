import { limitOf, largestRequest } from '../cel/schema-size.ts';
import { plus, times } from '../cel/size-range.ts';
import { type FieldError, forbiddenField } from '../meta/field-error.ts';
import type { SchemaNode } from '../structural/schema-node.ts';

/*
 * Limits the estimated costs of rules, as apis/apiextensions/validation of k8s.io/apiextensions-apiserver
 * does.
 */

const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;

/**
 * How many values of a schema node an object can have at most. Undefined: only the size of a request limits
 * it.
 */
export type Cardinality = number | undefined;

/** The cardinality of the values below a node. */
export function cardinalityBelow(
  { type, additionalProperties, maxItems, maxProperties }: SchemaNode,
  own: Cardinality,
): Cardinality {
  const isMap = type === 'object' && additionalProperties !== undefined;
  const most = type === 'array' ? limitOf(maxItems) : isMap ? limitOf(maxProperties) : 1;
  return own === undefined || most === undefined ? undefined : times(own, most);
}

/** @param leastBytes of one value, without the comma after it */
export function costForAll(cost: number, cardinality: Cardinality, leastBytes: number): number {
  return times(cost, cardinality ?? Math.floor(largestRequest / (leastBytes + 1)));
}

/** Adds up the costs of all rules of a schema. */
export interface RuleCosts {
  /** Adds the cost of the expression at a path. Returns an error if this cost alone is too high. */
  add(path: string, what: 'rule' | 'messageExpression', cost: number): FieldError | undefined;
  /** Returns the errors about the sum of all costs. */
  totalErrors(path: string): FieldError[];
}

/** @param isKnown whether the schema was accepted before; then only the sum of the costs is limited */
export function newRuleCosts(isKnown: boolean): RuleCosts {
  let total = 0;
  let dearest: readonly { readonly path: string; readonly cost: number }[] = [];
  return {
    add(path, what, cost) {
      total = plus(total, cost);
      if (cost >= schemaLimit / 100) {
        dearest = [...dearest, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
      }
      return cost > ruleLimit && !isKnown
        ? forbiddenField(path, excess(`estimated ${what} cost`, cost, ruleLimit))
        : undefined;
    },
    totalErrors(path) {
      if (total <= schemaLimit) {
        return [];
      }
      const share =
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
      return [
        ...dearest.map((each) => forbiddenField(each.path, share)),
        forbiddenField(path, excess(whole, total, schemaLimit)),
      ];
    },
  };
}

function excess(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? rounded(factor, 6) : rounded(factor, 1);
  return `${what} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Formats a number with a given number of decimals. A half is rounded to the even digit, as in Go. */
function rounded(value: number, digits: number): string {
  // 60 decimals are exact for a number of this size.
  const [whole = '', fraction = ''] = value.toFixed(60).split('.');
  const kept = `${whole}.${fraction.slice(0, digits)}`;
  const isHalf = /^50*$/.test(fraction.slice(digits));
  return isHalf && /[02468]$/.test(kept) ? kept : value.toFixed(digits);
}
