import { type FieldError, forbiddenField, invalid } from '../../meta/field-error.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import { validateQualifiedName } from './name-errors.ts';

/*
 * Label keys (matchLabelKeys, mismatchLabelKeys) whose values in a new pod complete the pod's own selectors.
 */

export interface SelectorByKeys {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export function validateLabelKeys(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: SelectorByKeys,
  path: string,
): FieldError[] {
  const wellFormed = (keys: readonly string[], at: string): FieldError[] => {
    if (keys.length > 0 && labelSelector === undefined) {
      return [forbiddenField(at, 'must not be specified when labelSelector is not set')];
    }
    return keys.flatMap((key, index) => validateQualifiedName(key, `${at}[${index}]`));
  };
  return [
    ...wellFormed(matchLabelKeys, `${path}.matchLabelKeys`),
    ...wellFormed(mismatchLabelKeys, `${path}.mismatchLabelKeys`),
    ...validateSelectedOnce(matchLabelKeys, labelSelector, path),
    ...matchLabelKeys.flatMap((key, index) =>
      mismatchLabelKeys.includes(key)
        ? [
            invalid(
              `${path}.matchLabelKeys[${index}]`,
              key,
              'exists in both matchLabelKeys and mismatchLabelKeys',
            ),
          ]
        : [],
    ),
  ];
}

/**
 * The selector of a created pod has one expression for each key. A second expression for a key is an error.
 */
function validateSelectedOnce(
  keys: readonly string[],
  { matchLabels = {}, matchExpressions = [] }: LabelSelector = {},
  path: string,
): FieldError[] {
  const selected = new Set(Object.keys(matchLabels));
  return matchExpressions.flatMap(({ key }) => {
    const isSelected = selected.has(key);
    selected.add(key);
    return isSelected && keys.includes(key)
      ? // The real server's path lacks the name of the list.
        [invalid(`${path}[${keys.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : [];
  });
}

/**
 * Completes the selectors of a new pod (mutatePodAffinity and mutateTopologySpreadConstraints in
 * pkg/registry/core/pod/strategy.go).
 */
export function completeSelector(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: SelectorByKeys,
  labels: Readonly<Record<string, string>>,
): void {
  if (labelSelector === undefined) {
    return;
  }
  const expressions = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...expressions(matchLabelKeys, 'In'), ...expressions(mismatchLabelKeys, 'NotIn')];
  if (added.length > 0) {
    labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  }
}
