import { append } from '../../meta/append.ts';
import {
  type FieldError,
  duplicate,
  fieldNotFound,
  forbiddenField,
  invalid,
  required,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { compareQuantities, isFractional, nanosOf, wholeQuantity } from '../../schema/quantity.ts';
import { validateDnsLabel } from './name-errors.ts';
import { isExtendedResource, isHugePages, isNativeResource, validateResourceName } from './resource-names.ts';

/* Validates the requests and limits of a container or a pod. */

interface Quantities {
  readonly [resource: string]: string;
}

interface Claim extends JsonObject {
  name: string;
  request?: string;
}

export interface Requirements {
  readonly limits?: Quantities | undefined;
  readonly requests?: Quantities;
  readonly claims?: readonly Claim[];
}

/**
 * @param claimNames the names of the pod's resource claims
 * @param validateName returns the errors of a resource name here
 */
export function validateRequirements(
  { limits = {}, requests = {}, claims = [] }: Requirements,
  claimNames: ReadonlySet<string>,
  path: string,
  validateName: (name: string, at: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  const validateAmount = (name: string, amount: string, at: string): void => {
    append(errors, [...validateName(name, at), ...validateQuantity(name, amount, at)]);
  };
  for (const [name, limit] of Object.entries(limits)) {
    validateAmount(name, limit, `${path}.limits[${name}]`);
    append(errors, validatePages(name, limit, `${path}.limits[${name}]`));
  }
  for (const [name, amount] of Object.entries(requests)) {
    validateAmount(name, amount, `${path}.requests[${name}]`);
    append(errors, validateRequest(name, amount, limits[name], path));
    append(errors, validatePages(name, amount, `${path}.requests[${name}]`));
  }
  const all = { ...limits, ...requests };
  if (all['cpu'] === undefined && all['memory'] === undefined && Object.keys(all).some(isHugePages)) {
    errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  return claims.length === 0 ? errors : [...errors, ...validateClaims(claims, claimNames, `${path}.claims`)];
}

export function validateContainerRequirements(
  requirements: Requirements,
  claimNames: ReadonlySet<string>,
  path: string,
): FieldError[] {
  return validateRequirements(requirements, claimNames, path, validateContainerResource);
}

const ofContainers: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

function validateContainerResource(name: string, at: string): FieldError[] {
  if (ofContainers.has(name)) {
    return [];
  }
  const errors = validateResourceName(name, at);
  if (!name.includes('/')) {
    return isHugePages(name)
      ? errors
      : [...errors, invalid(at, name, 'must be a standard resource for containers')];
  }
  return isNativeResource(name) || isExtendedResource(name)
    ? errors
    : [...errors, invalid(at, name, "doesn't follow extended resource name standard")];
}

/** Resources that are counted, so that amounts must be whole. */
const counted: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

function validateQuantity(name: string, amount: string, at: string): FieldError[] {
  return [
    ...(compareQuantities(amount, '0') < 0
      ? [invalid(at, amount, 'must be greater than or equal to 0')]
      : []),
    ...(isFractional(amount) && (counted.has(name) || isExtendedResource(name))
      ? [invalid(at, amount, 'must be an integer')]
      : []),
  ];
}

function validatePages(name: string, amount: string, at: string): FieldError[] {
  if (!isHugePages(name)) {
    return [];
  }
  const size = name.slice('hugepages-'.length);
  const page = nanosOf(size) ?? 0n;
  const isDivisible =
    page > 0n && !isFractional(size) && (nanosOf(wholeQuantity(amount)) ?? 0n) % page === 0n;
  return isDivisible ? [] : [invalid(at, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function validateRequest(
  name: string,
  amount: string,
  limit: string | undefined,
  path: string,
): FieldError[] {
  // Resources that cannot be overcommitted must have equal requests and limits.
  const isExact = !isNativeResource(name) || isHugePages(name);
  if (limit === undefined) {
    return isExact ? [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')] : [];
  }
  const order = compareQuantities(amount, limit);
  if (isExact && order !== 0) {
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

/** A container may name a whole claim, or a request of it, only once. */
function validateClaims(
  claims: readonly Claim[],
  claimNames: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const keys = new Set<string>();
  /** How many requests of each claim are in keys. */
  const partsOf = new Map<string, number>();
  return claims.flatMap(({ name, request = '' }, index) => {
    const at = `${path}[${index}]`;
    if (name === '') {
      return [required(at)];
    }
    const errors: FieldError[] = [];
    if (keys.has(name)) {
      errors.push(duplicate(at, name));
      keys.add(name);
    } else {
      const key = request === '' ? name : `${name}/${request}`;
      append(errors, request === '' ? [] : validateDnsLabel(request, `${at}.request`));
      if (keys.has(key)) {
        errors.push(duplicate(at, key));
      } else if (request === '') {
        append(errors, Array<FieldError>(partsOf.get(name) ?? 0).fill(duplicate(at, name)));
      }
      if (!keys.has(key) && key.includes('/')) {
        const [claim = ''] = key.split('/');
        partsOf.set(claim, (partsOf.get(claim) ?? 0) + 1);
      }
      keys.add(key);
    }
    if (!claimNames.has(name)) {
      const names = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
      errors.push(fieldNotFound(at, name, `must be one of the names in pod.spec.resourceClaims${names}`));
    }
    return errors;
  });
}
