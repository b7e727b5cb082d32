import { type FieldError, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import { compareQuantities } from '../../schema/quantity.ts';

/* What a container may use and asks for. */

interface Amounts {
  readonly [resource: string]: string;
}

const standard: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const hugePages = 'hugepages-';

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isHuge = (name: string): boolean => name.startsWith(hugePages);
/** Of these a container gets what it asks for, no more and no less. */
const isWhole = (name: string): boolean => !isNative(name) || isHuge(name);

export function validateContainerResources(
  { limits = {}, requests = {} }: { readonly limits?: Amounts | undefined; readonly requests?: Amounts },
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [list, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(amounts)) {
      errors.push(...validateAmount(name, amount, `${path}.${list}[${name}]`));
    }
    if (list === 'limits') {
      continue;
    }
    for (const [name, amount] of Object.entries(amounts)) {
      errors.push(...validateRequest(name, amount, limits[name], path));
    }
  }
  const all = { ...limits, ...requests };
  if (Object.keys(all).some(isHuge) && all['cpu'] === undefined && all['memory'] === undefined) {
    errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  return errors;
}

function validateAmount(name: string, amount: string, at: string): FieldError[] {
  if (!name.includes('/') && !standard.has(name) && !isHuge(name)) {
    return [
      invalid(at, name, 'must be a standard resource type or fully qualified'),
      invalid(at, name, 'must be a standard resource for containers'),
    ];
  }
  if (compareQuantities(amount, '0') < 0) {
    return [invalid(at, amount, 'must be greater than or equal to 0')];
  }
  return !isNative(name) && /m$/.test(amount) ? [invalid(at, amount, 'must be an integer')] : [];
}

function validateRequest(
  name: string,
  amount: string,
  limit: string | undefined,
  path: string,
): FieldError[] {
  if (limit === undefined) {
    return isWhole(name)
      ? [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')]
      : [];
  }
  const order = compareQuantities(amount, limit);
  if (isWhole(name) && order !== 0) {
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}
