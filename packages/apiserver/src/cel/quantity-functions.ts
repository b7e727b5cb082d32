import { nanosOf, quantityFormatMessage } from '../schema/quantity.ts';
import { CelFailure, type CelFunction } from './function-table.ts';
import { OpaqueValue } from './opaque-value.ts';

/* The functions on quantities of k8s.io/apiserver/pkg/cel/library/quantity.go. */

export class Quantity extends OpaqueValue {
  /** In billionths. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

const nano = 1_000_000_000n;

function parse(text: string): Quantity {
  const nanos = nanosOf(text);
  if (nanos === undefined) {
    throw new CelFailure(quantityFormatMessage);
  }
  return new Quantity(nanos);
}

function isInteger({ nanos }: Quantity): boolean {
  return nanos % nano === 0n && BigInt.asIntN(64, nanos / nano) === nanos / nano;
}

function sign(value: bigint): bigint {
  return value < 0n ? -1n : value > 0n ? 1n : 0n;
}

export const quantityFunctions: readonly CelFunction[] = [
  ['quantity(string): kubernetes.Quantity', parse],
  ['isQuantity(string): bool', (text: string) => nanosOf(text) !== undefined],
  ['kubernetes.Quantity.isInteger(): bool', isInteger],
  [
    'kubernetes.Quantity.asInteger(): int',
    (quantity: Quantity) => {
      if (!isInteger(quantity)) {
        throw new CelFailure('cannot convert value to integer');
      }
      return quantity.nanos / nano;
    },
  ],
  ['kubernetes.Quantity.asApproximateFloat(): double', ({ nanos }: Quantity) => Number(nanos) / Number(nano)],
  ['sign(kubernetes.Quantity): int', ({ nanos }: Quantity) => sign(nanos)],
  [
    'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity',
    (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos),
  ],
  [
    'kubernetes.Quantity.add(int): kubernetes.Quantity',
    (a: Quantity, b: bigint) => new Quantity(a.nanos + b * nano),
  ],
  [
    'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity',
    (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos),
  ],
  [
    'kubernetes.Quantity.sub(int): kubernetes.Quantity',
    (a: Quantity, b: bigint) => new Quantity(a.nanos - b * nano),
  ],
  [
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    (a: Quantity, b: Quantity) => a.nanos < b.nanos,
  ],
  [
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    (a: Quantity, b: Quantity) => a.nanos > b.nanos,
  ],
  [
    'kubernetes.Quantity.compareTo(kubernetes.Quantity): int',
    (a: Quantity, b: Quantity) => sign(a.nanos - b.nanos),
  ],
];
