import type { V1Condition } from '@kubernetes/client-node';
import { reasonForm, typeForm, type Form } from './condition-forms.ts';
import type { Json } from './json.ts';
import { formatTimestamp } from './timestamp.ts';

/** A metav1.Condition. Other conditions, such as those of pods, might lack a reason and a message. */
export type Condition = Json<V1Condition>;

/**
 * What a controller states about a condition. It does not state `lastTransitionTime`; {@link setCondition}
 * sets that.
 */
export interface ConditionState {
  /** `Ready`, or a name such as `example.com/Ready` on a kind to which other controllers add conditions. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** For programs: a word such as `QuotaExceeded`. */
  readonly reason: string;
  /** For people; can be empty. */
  readonly message: string;
  /**
   * `metadata.generation` of the object that the controller looked at. If left out, the condition does not
   * say which generation it describes.
   */
  readonly observedGeneration?: number | undefined;
}

/** Returns the condition of this type. A list has at most one. */
export function findCondition<Of extends { readonly type: string }>(
  conditions: readonly Of[] | undefined,
  type: string,
): Of | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns whether the condition exists and is `True`; false if it is `Unknown` or missing. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * Returns the conditions with this one replaced in its place, or appended if it was missing. All others stay
 * as they are. `lastTransitionTime` becomes `now` if the status changes, and otherwise stays.
 *
 * @returns the same list, not a copy, if the condition already says all of this: then there is nothing to
 *   write.
 * @throws Error for a condition that API servers refuse, see {@link conditionProblems}.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  state: ConditionState,
  now: Date,
): readonly Condition[] {
  const problems = conditionProblems(state);
  if (problems.length > 0) {
    throw new Error(`condition "${state.type}" can't be set: ${problems.join('; ')}`);
  }
  const present = conditions ?? [];
  const index = present.findIndex(({ type }) => type === state.type);
  const before = present[index];
  if (before === undefined) {
    return [...present, restate({}, state, formatTimestamp(now))];
  }
  if (saysTheSame(before, state)) {
    return present;
  }
  const since = before.status === state.status ? before.lastTransitionTime : formatTimestamp(now);
  return present.with(index, restate(before, state, since));
}

/**
 * Lists what violates the rules of metav1.Condition, which generated CustomResourceDefinitions carry too.
 * Each problem names the field, its value and what is allowed; a valid condition has none. Lengths count
 * Unicode characters, as API servers do.
 */
export function conditionProblems(state: ConditionState): readonly string[] {
  const { type, status, reason, message, observedGeneration } = state;
  return [
    ...textProblems('type', type, 316, typeForm),
    ...(statuses.has(status) ? [] : [`status is "${status}"; allowed are True, False and Unknown`]),
    ...textProblems('reason', reason, 1024, reasonForm),
    ...textProblems('message', message, 32_768),
    ...(observedGeneration === undefined || (Number.isInteger(observedGeneration) && observedGeneration >= 0)
      ? []
      : [`observedGeneration is ${String(observedGeneration)}; give metadata.generation of the object`]),
  ];
}

const statuses: ReadonlySet<string> = new Set(['True', 'False', 'Unknown']);

function textProblems(field: string, text: unknown, max: number, form?: Form): readonly string[] {
  if (typeof text !== 'string') {
    return [`${field} is ${String(text)}; give a text`];
  }
  const { length } = Array.from(text);
  if (length > max) {
    return [`${field} has ${String(length)} characters; ${String(max)} are allowed`];
  }
  return form === undefined || form.pattern.test(text) ? [] : [`${field} is "${text}"; give ${form.words}`];
}

/** Keeps fields that metav1.Condition does not have: a newer definition of the kind might define them. */
function restate(
  before: Partial<Condition>,
  { type, status, reason, message, observedGeneration }: ConditionState,
  lastTransitionTime: string,
): Condition {
  const kept = Object.fromEntries(Object.entries(before).filter(([field]) => field !== 'observedGeneration'));
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  return { ...kept, type, status, ...generation, lastTransitionTime, reason, message };
}

function saysTheSame(before: Condition, state: ConditionState): boolean {
  return (
    before.status === state.status &&
    before.reason === state.reason &&
    before.message === state.message &&
    before.observedGeneration === state.observedGeneration
  );
}
