import { addQuantities, compareQuantities, subtractQuantities } from './quantity.ts';

/*
 * Quantities by the names of resources (corev1.ResourceList). The functions return new amounts and change
 * none in place.
 */

export type Amounts = Readonly<Record<string, string>>;

/** The amounts, sorted by name. */
export function sortedAmounts(amounts: Amounts): readonly (readonly [name: string, quantity: string])[] {
  return Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function merged(a: Amounts, b: Amounts, how: (left: string, right: string) => string): Amounts {
  const result: Record<string, string> = { ...a };
  for (const [name, quantity] of Object.entries(b)) {
    const other = result[name];
    result[name] = other === undefined ? quantity : how(other, quantity);
  }
  return result;
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  return merged(a, b, addQuantities);
}

/** The greater quantity of each resource. */
export function greaterAmounts(a: Amounts, b: Amounts): Amounts {
  return merged(a, b, (left, right) => (compareQuantities(left, right) >= 0 ? left : right));
}

/** How much more of each resource `a` has than `b`. Resources of which it has no more are left out. */
export function amountsAbove(a: Amounts, b: Amounts): Amounts {
  return withoutZeros(
    Object.fromEntries(
      Object.entries(a).map(([name, quantity]) => {
        const above = subtractQuantities(quantity, b[name] ?? '0');
        return [name, compareQuantities(above, '0') > 0 ? above : '0'];
      }),
    ),
  );
}

export function withoutZeros(amounts: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(amounts).filter(([, quantity]) => compareQuantities(quantity, '0') !== 0),
  );
}

/** The amounts of the given names only. */
export function amountsOf(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => wanted.has(name)));
}

export function sameAmounts(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [a[name], b[name]];
      return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
    })
  );
}
