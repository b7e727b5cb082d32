import { Duration } from '@marcbachmann/cel-js/evaluator';
import { celEqual } from './cel-equal.ts';
import { CelFailure, type CelFunction } from './function-table.ts';
import { spend } from './metering.ts';

/* The functions on lists of k8s.io/apiserver/pkg/cel/library/lists.go, and those on sets of cel-go's ext.Sets. */

type List = readonly unknown[];

const ordered = [
  'int',
  'double',
  'bool',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

export const listFunctions: readonly CelFunction[] = [
  ...ordered.flatMap((type): readonly CelFunction[] => [
    [`list<${type}>.isSorted(): bool`, (list: List) => isSorted(list)],
    [`list<${type}>.min(): ${type}`, (list: List) => extreme(list, 'min', -1)],
    [`list<${type}>.max(): ${type}`, (list: List) => extreme(list, 'max', 1)],
  ]),
  ['list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((sum, item) => sum + item, 0n)],
  ['list<double>.sum(): double', (list: readonly number[]) => list.reduce((sum, item) => sum + item, 0)],
  [
    'list<google.protobuf.Duration>.sum(): google.protobuf.Duration',
    (list: readonly Duration[]) => list.reduce((sum, item) => sum.addDuration(item), new Duration(0n)),
  ],
  [
    'list<A>.k8s_indexOf(A): int',
    (list: List, wanted: unknown) => BigInt(list.findIndex((item) => celEqual(item, wanted))),
  ],
  [
    'list<A>.k8s_lastIndexOf(A): int',
    (list: List, wanted: unknown) => BigInt(list.findLastIndex((item) => celEqual(item, wanted))),
  ],
];

/** `sets.contains` and the others: functions of the constant `sets`. */
export class Sets {
  readonly name = 'sets';
}

export const setFunctions: readonly CelFunction[] = [
  ['Sets.k8s_contains(list<A>, list<A>): bool', (_: Sets, a: List, b: List) => contains(a, b)],
  [
    'Sets.equivalent(list<A>, list<A>): bool',
    (_: Sets, a: List, b: List) => contains(a, b) && contains(b, a),
  ],
  [
    'Sets.intersects(list<A>, list<A>): bool',
    (_: Sets, a: List, b: List) => b.some((item) => contains(a, [item])),
  ],
];

function contains(list: List, wanted: List): boolean {
  spend(list.length * wanted.length);
  return wanted.every((each) => list.some((item) => celEqual(item, each)));
}

function compare(a: unknown, b: unknown): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return Buffer.compare(a, b);
  }
  if (a instanceof Duration && b instanceof Duration) {
    return compare(a.seconds, b.seconds) || compare(a.nanos, b.nanos);
  }
  const [left, right] = [a as number, b as number];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isSorted(list: List): boolean {
  return list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0);
}

function extreme(list: List, name: string, sign: number): unknown {
  if (list.length === 0) {
    throw new CelFailure(`${name} called on empty list`);
  }
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}
