import type { V1Condition } from '@kubernetes/client-node';
import { reasonForm, typeForm, type Form } from './condition-forms.ts';
import type { Json } from './json.ts';
import { formatTimestamp } from './timestamp.ts';

/** A condition as metav1.Condition has it; other conditions, such as those of pods, may lack reason and message. */
export type Condition = Json<V1Condition>;

/** What a controller says of a condition; when its status last changed is not its to say. */
export interface ConditionState {
  /** `Ready`, or `example.com/Ready` for a kind that others add conditions to. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** For programs: a word such as `QuotaExceeded`. */
  readonly reason: string;
  /** For people; may be empty. */
  readonly message: string;
  /** `metadata.generation` of the object that was looked at. Left out, the condition does not tell for which one it holds. */
  readonly observedGeneration?: number | undefined;
}

/** The condition of this type, of which a list has one at the most. */
export function findCondition<Of extends { readonly type: string }>(
  conditions: readonly Of[] | undefined,
  type: string,
): Of | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether there is the condition, and it is `True`: not so when it is `Unknown` or missing. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The conditions with this one as stated: in its place, or at the end if there was none. All others stay as they are. `lastTransitionTime`
 * is `now` when the status changes, and stays otherwise.
 *
 * @returns the same list, not a copy, when the condition says all of it already: then nothing has to be written.
 * @throws Error for what API servers refuse, see {@link conditionProblems}.
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
 * What is wrong with a condition by the rules of metav1.Condition, which generated CustomResourceDefinitions carry: each names the field, the
 * value and what is allowed. None: it is valid. Lengths count Unicode characters, as API servers do.
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

function textProblems(field: string, text: string, max: number, form?: Form): readonly string[] {
  const { length } = Array.from(text);
  if (length > max) {
    return [`${field} has ${String(length)} characters; ${String(max)} are allowed`];
  }
  return form === undefined || form.pattern.test(text) ? [] : [`${field} is "${text}"; give ${form.words}`];
}

/** Fields that are not of metav1.Condition stay: a newer definition of the kind may have them. */
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
