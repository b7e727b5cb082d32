import type { V1LabelSelector } from '@kubernetes/client-node';
import type { Json } from './json.ts';
import { labelKeyProblem, labelValueProblem } from './label-syntax.ts';

/** A metav1.LabelSelector: it selects an object if all of its requirements hold. */
export type LabelSelector = Json<V1LabelSelector>;

/** Returns whether the selector selects an object with these labels. */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** Thrown for an invalid selector; the message names the key, the value and what is allowed. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

/**
 * Compiles the selector once, for any number of objects. An empty selector selects everything; a missing one
 * (undefined or null) selects nothing.
 *
 *     operator        label is missing   label is there
 *     In              no                 its value is among the values
 *     NotIn           yes                its value is not among the values
 *     Exists          no                 yes
 *     DoesNotExist    yes                no
 *
 * An entry of `matchLabels` is `In` with one value.
 *
 * @throws LabelSelectorError for an unknown operator, In and NotIn without values, Exists and DoesNotExist
 *   with values, keys and values that no label can have, and other forms of selectors: text, a map of labels.
 */
export function labelMatcher(selector: LabelSelector | null | undefined): LabelMatcher {
  if (selector === undefined || selector === null) {
    return () => false;
  }
  const requirements = requirementsOf(selector);
  return (labels = {}) => requirements.every((requirement) => holds(requirement, labels));
}

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';

/** What a selector requires of one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** At least one for In and NotIn; otherwise none. */
  readonly values: readonly string[];
}

/**
 * Returns all requirements of the selector, those of `matchLabels` first.
 *
 * @throws LabelSelectorError as {@link labelMatcher} does.
 */
export function requirementsOf(selector: LabelSelector): readonly Requirement[] {
  mustBeSelector(selector);
  const { matchLabels, matchExpressions } = selector;
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => requirement(key, 'In', [value])),
    ...(matchExpressions ?? []).map(({ key, operator, values }) => requirement(key, operator, values ?? [])),
  ];
}

/**
 * Text and a map of labels, as a Service has it, are other forms of a selector. Neither has a requirement where
 * they are looked for, and each would select everything.
 */
function mustBeSelector(selector: unknown): void {
  if (typeof selector !== 'object' || Array.isArray(selector)) {
    throw new LabelSelectorError(
      `label selector is ${JSON.stringify(selector)}; give an object with matchLabels or matchExpressions, or text to parseLabelSelector`,
    );
  }
  const odd = Object.keys(selector ?? {}).find((key) => key !== 'matchLabels' && key !== 'matchExpressions');
  if (odd !== undefined) {
    throw new LabelSelectorError(
      `label selector has ${JSON.stringify(odd)}; it has matchLabels and matchExpressions, and labels go into matchLabels`,
    );
  }
}

function requirement(key: string, operator: string, values: readonly string[]): Requirement {
  const problem = labelKeyProblem(key) ?? valuesProblem(operator, values);
  if (problem !== undefined || !isOperator(operator)) {
    const allowed = `operator is ${JSON.stringify(operator)}; allowed are In, NotIn, Exists and DoesNotExist`;
    throw new LabelSelectorError(`label selector, key ${JSON.stringify(key)}: ${problem ?? allowed}`);
  }
  return { key, operator, values };
}

const takesValues: ReadonlyMap<string, boolean> = new Map<Operator, boolean>([
  ['In', true],
  ['NotIn', true],
  ['Exists', false],
  ['DoesNotExist', false],
]);

function isOperator(text: string): text is Operator {
  return takesValues.has(text);
}

function valuesProblem(operator: string, values: readonly string[]): string | undefined {
  switch (takesValues.get(operator)) {
    case true:
      return values.length === 0
        ? `${operator} has no values; give one at least`
        : values.map(labelValueProblem).find((problem) => problem !== undefined);
    case false:
      return values.length === 0
        ? undefined
        : `${operator} takes no values, but has ${JSON.stringify(values)}`;
    case undefined:
      return undefined;
  }
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
