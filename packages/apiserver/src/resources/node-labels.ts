import type { JsonObject } from '../meta/json.ts';
import { labelValueProblems } from '../meta/names.ts';

/** Deprecated labels of nodes, with the API server's warnings about them (pkg/api/node/util.go). */
const deprecated: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    'failure-domain.beta.kubernetes.io/region',
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    'failure-domain.beta.kubernetes.io/zone',
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    'beta.kubernetes.io/instance-type',
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.kubernetes.io/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** The GA labels that replaced beta labels with the same meaning. */
export const generalLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

export interface NodeSelectorTerm extends JsonObject {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** A warning that the field at `path` holds a deprecated key. Empty for any other label. */
export function keyWarnings(key: string, path: string): readonly string[] {
  const message = deprecated.get(key);
  return message === undefined ? [] : [`${path}: ${message}`];
}

/** Like `keyWarnings`, for fields whose path does not show the key. */
export function namedKeyWarnings(key: string, path: string): readonly string[] {
  const message = deprecated.get(key);
  return message === undefined ? [] : [`${path}: ${key} is ${message}`];
}

/**
 * Checks the key of each expression. For preferences it checks the values too, because validation accepts any
 * values there.
 */
export function nodeSelectorTermWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  path: string,
  mayHaveAnyValue: boolean,
): readonly string[] {
  return matchExpressions.flatMap(({ key, values = [] }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const ofValues = values.flatMap((value, position) =>
      labelValueProblems(value).map(
        (problem) => `${at}.values[${position}]: ${value} is invalid, ${problem}`,
      ),
    );
    return [...namedKeyWarnings(key, `${at}.key`), ...(mayHaveAnyValue ? ofValues : [])];
  });
}
