import type { V1LabelSelector } from '@kubernetes/client-node';
import type { Json } from './json.ts';
import { labelKeyProblem, labelValueProblem } from './label-syntax.ts';

/** A selector as metav1.LabelSelector has it: an object is selected when all of it holds. */
export type LabelSelector = Json<V1LabelSelector>;

/** Whether a selector selects an object with these labels. */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** A selector that can't be taken; the message names the key, the value and what is allowed. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

/**
 * Reads the selector once, for any number of objects. An empty selector selects everything, none at all (undefined, null) nothing.
 *
 *     operator        label is missing   label is there
 *     In              no                 its value is among the values
 *     NotIn           yes                its value is not among the values
 *     Exists          no                 yes
 *     DoesNotExist    yes                no
 *
 * An entry of `matchLabels` is `In` with one value.
 *
 * @throws LabelSelectorError for an unknown operator, In and NotIn without values, Exists and DoesNotExist with values, and keys and values that no
 *   label can have.
 */
export function labelMatcher(selector: LabelSelector | null | undefined): LabelMatcher {
  if (selector === undefined || selector === null) {
    return () => false;
  }
  const requirements = requirementsOf(selector);
  return (labels = {}) => requirements.every((requirement) => holds(requirement, labels));
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** What a selector asks of one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: (typeof operators)[number];
  /** Of In and NotIn one at least, else none. */
  readonly values: readonly string[];
}

/**
 * All that the selector asks, `matchLabels` first.
 *
 * @throws LabelSelectorError as {@link labelMatcher} does.
 */
export function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): readonly Requirement[] {
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => requirement(key, 'In', [value])),
    ...(matchExpressions ?? []).map(({ key, operator, values }) => requirement(key, operator, values ?? [])),
  ];
}

function requirement(key: string, text: string, values: readonly string[]): Requirement {
  const operator = operators.find((each) => each === text);
  const problem =
    labelKeyProblem(key) ??
    (operator === undefined
      ? `operator is ${JSON.stringify(text)}; allowed are ${operators.join(', ')}`
      : valuesProblem(operator, values));
  if (operator === undefined || problem !== undefined) {
    throw new LabelSelectorError(`label selector, key ${JSON.stringify(key)}: ${String(problem)}`);
  }
  return { key, operator, values };
}

function valuesProblem(operator: Requirement['operator'], values: readonly string[]): string | undefined {
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    return values.length === 0 ? undefined : `${operator} takes no values, but has ${JSON.stringify(values)}`;
  }
  return values.length === 0
    ? `${operator} has no values; give one at least`
    : values.map(labelValueProblem).find((problem) => problem !== undefined);
}

function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
