import type { $ZodCheck, $ZodChecks, $ZodNumberFormats } from 'zod/v4/core';
import { refuse, type SchemaContext } from './schema-context.ts';
import { refuseCheck } from './string-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** What zod's integer formats allow. The API server does not bound a value by its `format`. */
const integers: Readonly<
  Partial<Record<$ZodNumberFormats, { readonly format: string; readonly from: number; readonly to: number }>>
> = {
  int32: { format: 'int32', from: -2_147_483_648, to: 2_147_483_647 },
  uint32: { format: 'int64', from: 0, to: 4_294_967_295 },
  // JavaScript cannot hold other integers exactly: a controller that read one would work on another number.
  safeint: { format: 'int64', from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER },
};

interface Bound {
  readonly side: 'minimum' | 'maximum';
  readonly value: number;
  readonly isExclusive: boolean;
}

/** @param checks of the zod schema. A format such as z.int() is itself among its checks. */
export function numberSchema(checks: readonly $ZodCheck[], context: SchemaContext): StructuralSchema {
  let format: string | undefined;
  const bounds: Bound[] = [];
  const factors: number[] = [];
  for (const check of checks) {
    const { def } = (check as $ZodChecks)._zod;
    switch (def.check) {
      case 'greater_than':
        bounds.push({ side: 'minimum', value: Number(def.value), isExclusive: !def.inclusive });
        break;
      case 'less_than':
        bounds.push({ side: 'maximum', value: Number(def.value), isExclusive: !def.inclusive });
        break;
      case 'multiple_of':
        factors.push(Number(def.value));
        break;
      case 'number_format': {
        const known = integers[def.format];
        if (known !== undefined) {
          format = known.format;
          bounds.push({ side: 'minimum', value: known.from, isExclusive: false });
          bounds.push({ side: 'maximum', value: known.to, isExclusive: false });
        } else if (def.format !== 'float64') {
          refuse(context, `the API server can't hold the bounds of z.${def.format}(); use z.number()`);
        }
        break;
      }
      default:
        refuseCheck(def.check, context);
    }
  }
  const isInteger = format !== undefined;
  const minimum = tightest(bounds, 'minimum', isInteger);
  const maximum = tightest(bounds, 'maximum', isInteger);
  for (const bound of [minimum, maximum]) {
    refuseInexact(bound, context);
  }
  return {
    type: isInteger ? 'integer' : 'number',
    ...(format === undefined ? {} : { format }),
    ...(minimum === undefined ? {} : { minimum: minimum.value }),
    ...(minimum?.isExclusive === true ? { exclusiveMinimum: true } : {}),
    ...(maximum === undefined ? {} : { maximum: maximum.value }),
    ...(maximum?.isExclusive === true ? { exclusiveMaximum: true } : {}),
    ...factorOf(factors, isInteger, context),
  };
}

/** Returns the bound that implies all others on its side. Bounds of integers are made inclusive and whole. */
function tightest(bounds: readonly Bound[], side: Bound['side'], isInteger: boolean): Bound | undefined {
  const inward = side === 'minimum' ? 1 : -1;
  return bounds
    .filter((bound) => bound.side === side && Math.abs(bound.value) !== Infinity)
    .map((bound) => (isInteger ? wholeBound(bound, inward) : bound))
    .toSorted((a, b) => inward * (b.value - a.value) || Number(b.isExclusive) - Number(a.isExclusive))[0];
}

function wholeBound(bound: Bound, inward: 1 | -1): Bound {
  const value = inward === 1 ? Math.ceil(bound.value) : Math.floor(bound.value);
  return {
    ...bound,
    value: bound.isExclusive && value === bound.value ? value + inward : value,
    isExclusive: false,
  };
}

/**
 * Refuses bounds that kube-apiserver does not honor. It compares a whole number with the bound converted to
 * an int64: the fraction is cut off, and a bound out of range becomes the smallest int64.
 *
 * | bound with a fraction | above 0 | below 0 |
 * |-----------------------|---------|---------|
 * | .min()                | refused | honored |
 * | .gt()                 | honored | refused |
 * | .max()                | honored | refused |
 * | .lt()                 | refused | honored |
 */
function refuseInexact(bound: Bound | undefined, context: SchemaContext): void {
  if (bound === undefined) {
    return;
  }
  const { side, value, isExclusive } = bound;
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    refuse(
      context,
      `the bound ${value} is beyond what the API server compares with; leave it out, or give one within 2^53`,
    );
    return;
  }
  const isKeptAbove = (side === 'minimum') === isExclusive;
  if (!Number.isInteger(value) && value > 0 !== isKeptAbove) {
    const other = side === 'minimum' ? (isExclusive ? '.min()' : '.gt()') : isExclusive ? '.max()' : '.lt()';
    refuse(
      context,
      `the API server cuts the fraction off the bound ${value} when it compares whole numbers; use ${other}, or a whole bound`,
    );
  }
}

function factorOf(factors: readonly number[], isInteger: boolean, context: SchemaContext): StructuralSchema {
  const [multipleOf, ...more] = new Set(factors);
  if (multipleOf === undefined) {
    return {};
  }
  if (more.length > 0 || !isInteger || !Number.isInteger(multipleOf) || multipleOf <= 0) {
    return refuse(
      context,
      '.multipleOf() has a place on integers only, once, with a whole number above 0; use z.int().multipleOf(2)',
    );
  }
  return { multipleOf };
}
