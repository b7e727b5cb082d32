import type { KubeObject } from '../../meta/kube-object.ts';
import {
  type Amounts,
  addAmounts,
  amountsAbove,
  amountsOf,
  sameAmounts,
  sortedAmounts,
  withoutZeros,
} from '../../schema/amounts.ts';
import { compareQuantities } from '../../schema/quantity.ts';
import { type ScopeRequirement, isInScope } from './scopes.ts';
import type { Counted } from './usage.ts';

/*
 * Decides whether quotas have room for a write, and computes their usage after it, as
 * k8s.io/apiserver/pkg/admission/plugin/resourcequota does.
 */

export interface ResourceQuota extends KubeObject {
  spec: {
    scopes?: string[];
    scopeSelector?: { matchExpressions?: { scopeName: string; operator: string; values?: string[] }[] };
  };
  status: { hard?: { [name: string]: string }; used?: { [name: string]: string } };
}

/** A write that may increase usage. */
export interface Charged {
  /** The plural of a core resource. It is empty for other groups, whose objects are in no scope. */
  readonly plural: string;
  readonly object: KubeObject;
  /** Undefined for a new object. */
  readonly oldObject: KubeObject | undefined;
  readonly counted: Counted;
  /**
   * Whether the write is to the status. Its usage is recorded even if it exceeds the quota, because the
   * resources are in use already.
   */
  readonly isStatus: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The new usage of quotas by their names, or why there is no room. */
export type Charge =
  | { readonly kind: 'charged'; readonly used: ReadonlyMap<string, Amounts> }
  | { readonly kind: 'refused'; readonly problem: string };

function refused(problem: string): Charge {
  return { kind: 'refused', problem };
}

export function chargeQuotas(quotas: readonly ResourceQuota[], write: Charged): Charge {
  const { object, oldObject, counted, isStatus, now } = write;
  const concerned = quotas.filter((quota) => isConcerned(quota, write, object));
  for (const { metadata, status } of concerned) {
    const { name = '' } = metadata;
    const names = Object.keys(status.hard ?? {}).filter((hard) => counted.isCounted(hard));
    const missing = counted.constraint?.(object, names);
    if (missing !== undefined) {
      return refused(`failed quota: ${name}: ${missing}`);
    }
    if (names.some((hard) => status.used?.[hard] === undefined)) {
      return refused(`status unknown for quota: ${name}, resources: ${names.toSorted().join(',')}`);
    }
  }
  const usage = counted.usage(object, now);
  const negative = sortedAmounts(usage).filter(([, amount]) => compareQuantities(amount, '0') < 0);
  if (negative.length > 0) {
    const names = negative.map(([name]) => name).join(',');
    return refused(`quota usage is negative for resource(s): ${names}`);
  }
  const used = new Map<string, Amounts>();
  for (const quota of concerned) {
    const { hard = {}, used: before = {} } = quota.status;
    const { name = '' } = quota.metadata;
    const isCountedAlready = oldObject !== undefined && isConcerned(quota, write, oldObject);
    const more = isCountedAlready ? amountsAbove(usage, counted.usage(oldObject, now)) : withoutZeros(usage);
    const requested = amountsOf(more, Object.keys(hard));
    const after = addAmounts(before, requested);
    const exceeded = Object.keys(requested).filter(
      (resource) => compareQuantities(after[resource] ?? '0', hard[resource] ?? '0') > 0,
    );
    if (exceeded.length > 0 && !isStatus) {
      const [asked, had, limited] = [requested, before, hard].map((of) => print(amountsOf(of, exceeded)));
      return refused(`exceeded quota: ${name}, requested: ${asked}, used: ${had}, limited: ${limited}`);
    }
    if (!sameAmounts(before, after)) {
      used.set(name, after);
    }
  }
  return { kind: 'charged', used };
}

/**
 * Whether a quota applies to the object: it limits something that the object uses, and all of its scopes
 * match.
 */
function isConcerned(
  { spec, status }: ResourceQuota,
  { plural, counted }: Charged,
  object: KubeObject,
): boolean {
  const scopes: readonly ScopeRequirement[] = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  return (
    Object.keys(status.hard ?? {}).some((name) => counted.isCounted(name)) &&
    scopes.every((scope) => isInScope(plural, object, scope))
  );
}

function print(amounts: Amounts): string {
  return sortedAmounts(amounts)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');
}
