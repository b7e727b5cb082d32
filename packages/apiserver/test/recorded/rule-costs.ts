import { readFileSync, writeFileSync } from 'node:fs';
import type { SchemaNode } from '../../src/structural/schema-node.ts';

/*
 * Rules of one schema, each with the factor by which kube-apiserver finds its estimated cost above the limit when the
 * schema stands in a list of so many items. The factor has six digits if it is below 1.5: lines of rule-costs.json have
 * the number of items for which it is.
 */

export interface CostedRule {
  readonly rule: string;
  readonly optionalOldSelf?: true;
  readonly maxItems: number;
  /** Null: not above the limit. */
  readonly factor: string | null;
}

const file = new URL('rule-costs.json', import.meta.url);

export function readCosts(): readonly CostedRule[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly CostedRule[];
}

export function writeCosts(rules: readonly CostedRule[]): void {
  writeFileSync(file, `[\n${rules.map((rule) => JSON.stringify(rule)).join(',\n')}\n]\n`);
}

/** What an error says of the factor. */
export function factorOf(message: string | undefined): string | null {
  return (
    /^Forbidden: estimated rule cost exceeds budget by factor of (.+)x \(/.exec(message ?? '')?.[1] ?? null
  );
}

/** The schema, with rules. */
export function itemWith(rules: readonly CostedRule[]): SchemaNode {
  const validations = rules.map(({ rule, optionalOldSelf }) => ({
    rule,
    ...(optionalOldSelf && { optionalOldSelf }),
  }));
  return { ...item, 'x-kubernetes-validations': validations };
}

const text = (maxLength?: number): SchemaNode => ({ type: 'string', ...(maxLength && { maxLength }) });
const integer: SchemaNode = { type: 'integer' };
const list = (items: SchemaNode, maxItems?: number): SchemaNode => ({
  ...{ type: 'array', items },
  ...(maxItems && { maxItems }),
});
const map = (values: SchemaNode, maxProperties?: number): SchemaNode => ({
  ...{ type: 'object', additionalProperties: values },
  ...(maxProperties && { maxProperties }),
});
const object = (properties: Record<string, SchemaNode>): SchemaNode => ({ type: 'object', properties });

/** Fields whose names end in `u` are bounded by nothing. */
const item: SchemaNode = {
  ...object({
    t: text(10),
    u: text(),
    i: integer,
    n: { type: 'number' },
    b: { type: 'boolean' },
    by: { type: 'string', format: 'byte', maxLength: 50 },
    byu: { type: 'string', format: 'byte' },
    d: { type: 'string', format: 'duration' },
    ts: { type: 'string', format: 'date-time' },
    da: { type: 'string', format: 'date' },
    e: { type: 'string', enum: ['one', 'twelve'] },
    ios: { 'x-kubernetes-int-or-string': true },
    iosb: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
    l: list(text(12), 7),
    lu: list(text()),
    li: list(integer, 9),
    liu: list(integer),
    lo: list(
      object({ a: text(8), b: text(16), c: list(text(5), 3), o: object({ x: text(3), y: integer }) }),
      6,
    ),
    m: map(text(9), 4),
    mu: map(integer),
    mo: map(object({ a: text(8), l: list(integer, 3) }), 5),
    o: object({ p: text(11), q: object({ r: text(13) }) }),
    ll: list(list(text(6), 4), 3),
    'odd-name': text(14),
    li2: list({ type: 'string', format: 'date-time' }, 9),
    lb: list({ type: 'string', format: 'byte', maxLength: 10 }, 3),
  }),
  required: ['t'],
};
