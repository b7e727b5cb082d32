import {
  finalizers,
  hasFinalizer,
  isTerminating,
  objectKey,
  type KubernetesObject,
  type ObjectRef,
  type PersistentVolume,
  type StatefulSet,
} from '@holdfast/core';
import { parseClaimName, stemsOf } from '@holdfast/statefulset-pvc-retention/decide';
import type { Kind } from '../../src/command-line/request.ts';
import type { Explanation, Holder } from '../../src/explain/explanation.ts';
import type { Outcome } from '../../src/plan/plan.ts';
import type { Action } from '../../src/plan/world.ts';
import type { History, Moment, State } from './history.ts';

/** Asks of a state, as the tool is asked. */
export interface Ask {
  explain(state: State, of: Kind, ref: ObjectRef): Promise<Explanation>;
  /** The claims of the set, and what becomes of them. */
  plan(state: State, set: Required<ObjectRef>, action: Action): Promise<readonly PlannedClaim[]>;
}

/** Of the JSON that `plan` prints. */
export interface PlannedClaim {
  readonly name: string;
  readonly outcomes: readonly { readonly fate: Outcome['fate']; readonly message: string }[];
}

/** What came of the sayings about a story. */
export interface Verdict {
  /** How many sayings of each sort could be compared with what then happened. */
  readonly compared: ReadonlyMap<Saying, number>;
  /** What came about otherwise, a sentence each. */
  readonly wrong: readonly string[];
}

/**
 * What `explain` and `plan` say, and what must come of it:
 *
 * | saying        | asked when                        | says                                          | must come of it                                             |
 * |---------------|-----------------------------------|-----------------------------------------------|-------------------------------------------------------------|
 * | held          | a controller lets the object go   | who holds it                                  | nobody but finalizers                                       |
 * | ifDeleted     | the story deletes claim or volume | it goes at once, or stays until pods or claim | it is gone or held by nobody, or held by these              |
 * | claimOfVolume | the claim of a volume goes        | what then becomes of the volume               | it goes, or is there until the story writes it or its class |
 * | setActed      | the story scales or deletes a set | each claim goes or stays                      | so it is, until the story does something else about them    |
 * | planned       | the story scales or deletes a set | `plan`: each claim goes, goes later or stays  | so it is, until the story does something else about them    |
 * | atRest        | all have come to rest             | what Holdfast does next                       | nothing but waiting                                         |
 */
export const sayings = ['held', 'ifDeleted', 'claimOfVolume', 'setActed', 'planned', 'atRest'] as const;

export type Saying = (typeof sayings)[number];

/** Compares what is said of the states of a story with what then happened in it. */
export async function judge(history: History, ask: Ask): Promise<Verdict> {
  const compared = new Map<Saying, number>();
  const wrong: string[] = [];
  const court: Court = {
    history,
    ask,
    compare: (saying, subject, isRight, words) => {
      compared.set(saying, (compared.get(saying) ?? 0) + 1);
      if (!isRight) {
        wrong.push(`${saying}: ${subject.namespace ?? ''}/${subject.name}: ${words}`);
      }
    },
  };
  for (const [index, moment] of history.moments.entries()) {
    const rest = history.moments.slice(index + 1);
    await judgeRelease(court, moment);
    await judgeDeletion(court, moment);
    await judgeClaimOfVolume(court, moment, rest);
    await judgeSet(court, moment, rest);
  }
  await judgeRest(court);
  return { compared, wrong };
}

interface Court {
  readonly history: History;
  readonly ask: Ask;
  readonly compare: (saying: Saying, subject: ObjectRef, isRight: boolean, words: string) => void;
}

const kinds: ReadonlyMap<string, Kind> = new Map([
  ['persistentvolumeclaims', 'pvc'],
  ['persistentvolumes', 'pv'],
]);

/** Finalizers that stand for a holder, by the kind that has them. */
const protections: Readonly<Partial<Record<Kind, string>>> = {
  pvc: finalizers.pvcProtection,
  pv: finalizers.pvProtection,
};

async function judgeRelease(
  { ask, compare }: Court,
  { plural, ref, old, now, byHand, before }: Moment,
): Promise<void> {
  const kind = kinds.get(plural);
  if (kind === undefined || old === undefined || byHand || !isTerminating(old)) {
    return;
  }
  const protection = protections[kind] ?? '';
  if (now !== undefined && hasFinalizer(now, protection) === hasFinalizer(old, protection)) {
    return;
  }
  const isWhole = now === undefined || kind === 'pvc';
  // The protection of a volume is against its claim alone.
  const holders = othersHolding(await ask.explain(before, kind, ref)).filter(
    (each) => isWhole || each.kind === 'claim',
  );
  compare('held', ref, holders.length === 0, `let go while held by ${namesOf(holders)}`);
}

async function judgeDeletion(
  { ask, compare }: Court,
  { plural, ref, old, now, byHand, before, after }: Moment,
): Promise<void> {
  const kind = kinds.get(plural);
  const isDeletion = old !== undefined && !isTerminating(old) && (now === undefined || isTerminating(now));
  if (kind === undefined || !isDeletion || !byHand) {
    return;
  }
  const then =
    (await ask.explain(before, kind, ref)).ifs.find(({ what }) => what === 'it is deleted')?.then ?? '';
  const until = /^it stays, being deleted, until (.*?)( (?:does|do) not use it any more| is gone)?;/.exec(
    then,
  )?.[1];
  const holders = now === undefined ? [] : othersHolding(await ask.explain(after, kind, ref));
  const keeping = (now?.metadata.finalizers ?? []).filter((each) => each !== finalizers.pvcProtection);
  const isRight =
    until === undefined
      ? now === undefined || (holders.length === 0 && (kind !== 'pvc' || keeping.length === 0))
      : keeping.some((each) => until.includes(`${each} is off`)) ||
        holders.some(({ kind: of, name }) => of === 'claim' || until.includes(name));
  compare('ifDeleted', ref, isRight, `"${then}", and is held by ${namesOf(holders)}`);
}

async function judgeClaimOfVolume(
  { ask, compare, history }: Court,
  { plural, old, now, before }: Moment,
  rest: readonly Moment[],
): Promise<void> {
  if (plural !== 'persistentvolumeclaims' || old === undefined || now !== undefined) {
    return;
  }
  const volume = [...(before.objects.get('persistentvolumes')?.values() ?? [])].find(
    (each: PersistentVolume) => each.spec?.claimRef?.uid === old.metadata.uid,
  );
  if (volume === undefined) {
    return;
  }
  const ref = { name: volume.metadata.name };
  const told = await ask.explain(before, 'pv', ref);
  const then = told.ifs.find(({ what }) => /^claim .* is (?:deleted|gone)$/.test(what))?.then ?? '';
  const isItsOwn = ({ plural: other, ref: { name } }: Moment): boolean =>
    other === 'persistentvolumes' && name === ref.name;
  // Its class may ask for an undo window.
  const { storageClassName } = (volume as PersistentVolume).spec ?? {};
  const isItsClass = ({ plural: other, ref: { name } }: Moment): boolean =>
    other === 'storageclasses' && name === storageClassName;
  const written = rest.find((each) => (isItsOwn(each) || isItsClass(each)) && each.byHand);
  const until = written === undefined ? history.last : written.before;
  const isThere = isThereAt(until, 'persistentvolumes', volume);
  if (then.endsWith('then the volume')) {
    if (written === undefined && isServed(volume) && isActing(told)) {
      // Its window was open, and the story may have given it back to a claim by then.
      const wasMarked =
        then.includes('after its undo window') && rest.some((each) => isItsOwn(each) && isMarked(each.now));
      compare('claimOfVolume', ref, !isThere || wasMarked, `"${then}", and it is still there`);
    }
  } else if (!isTerminating(volume)) {
    compare('claimOfVolume', ref, isThere, `"${then}", and it is gone`);
  }
}

async function judgeSet(
  { ask, compare, history }: Court,
  moment: Moment,
  rest: readonly Moment[],
): Promise<void> {
  const { ref, old, before } = moment;
  const action = actionOn(moment);
  if (action === undefined || old === undefined) {
    return;
  }
  const set: StatefulSet = old;
  const { namespace = '' } = ref;
  const stems = stemsOf(set);
  const claims = [...(before.objects.get('persistentvolumeclaims')?.values() ?? [])].filter(
    ({ metadata }) =>
      metadata.namespace === namespace && stems.includes(parseClaimName({ metadata })?.stem ?? ''),
  );
  const names = [ref.name, ...claims.map(({ metadata }) => metadata.name)];
  const next = rest.find(
    (each) => (each.byHand && concerns(each, namespace, names)) || each.before.running !== before.running,
  );
  const until = next === undefined ? history.last : next.before;
  const living = claims.filter((each) => !isTerminating(each));
  const compareFate = (
    saying: Saying,
    claim: KubernetesObject,
    { fate, words }: { fate: Outcome['fate']; words: string },
  ): void => {
    const isThere = isThereAt(until, 'persistentvolumeclaims', claim);
    // What goes takes its time, and what the story does next may come before.
    if (fate === 'goes' && isThere && next !== undefined) {
      return;
    }
    const isRight =
      fate === 'goesLater'
        ? !isThere || isMarked(objectAt(until, 'persistentvolumeclaims', claim))
        : isThere === (fate === 'stays');
    compare(saying, claim.metadata, isRight, `"${words}", and ${isThere ? 'stays' : 'goes'}`);
  };

  const planned = await ask.plan(before, { namespace, name: ref.name }, action);
  for (const claim of living) {
    const outcomes = planned.find(({ name }) => name === claim.metadata.name)?.outcomes ?? [];
    const [outcome] = outcomes;
    if (outcome === undefined) {
      compare('planned', claim.metadata, false, 'is not in the plan');
    } else if (outcomes.length === 1) {
      const words = `${JSON.stringify(action)}: it ${outcome.fate}: ${outcome.message}`;
      compareFate('planned', claim, { fate: outcome.fate, words });
    }
  }
  if (action.kind === 'delete' && action.cascade !== 'background') {
    return;
  }
  const wanted = action.kind === 'delete' ? 0 : (set.spec?.ordinals?.start ?? 0) + action.replicas;
  const what = `StatefulSet ${ref.name} is ${action.kind === 'delete' ? 'deleted' : 'scaled below it'}`;
  for (const claim of living.filter((each) => (parseClaimName(each)?.ordinal ?? -1) >= wanted)) {
    const { ifs } = await ask.explain(before, 'pvc', { namespace, name: claim.metadata.name });
    const first = ifs.findIndex((each) => each.what === what);
    const then = ifs[first]?.then ?? '';
    if (ifs[first + 1]?.what !== 'or, as may be') {
      compareFate('setActed', claim, { fate: fateOf(then), words: then });
    }
  }
}

/** What the story does to a set that is to live; undefined: nothing that `plan` could be asked of. */
function actionOn({ plural, old, now, byHand }: Moment): Action | undefined {
  if (plural !== 'statefulsets' || old === undefined || !byHand || isTerminating(old)) {
    return undefined;
  }
  if (now === undefined) {
    return { kind: 'delete', cascade: 'background' };
  }
  if (isTerminating(now)) {
    const cascade = hasFinalizer(now, 'foregroundDeletion') ? 'foreground' : 'orphan';
    return { kind: 'delete', cascade };
  }
  const { replicas = 1 } = (now as StatefulSet).spec ?? {};
  return replicas === (old as StatefulSet).spec?.replicas ? undefined : { kind: 'scale', replicas };
}

function fateOf(then: string): Outcome['fate'] {
  if (then.startsWith('the claim goes after')) {
    return 'goesLater';
  }
  return then.startsWith('the claim stays:') ? 'stays' : 'goes';
}

/** What a controller of Holdfast waits for, or leaves to others. */
const isWait = /^(waits|looks at it again|can not hold|holds it until)| once /;

/** What Holdfast and the API server are said to do next, but have not done. */
export async function owed(state: State, ask: Ask): Promise<readonly { ref: ObjectRef; words: string }[]> {
  const found: { ref: ObjectRef; words: string }[] = [];
  for (const [plural, kind] of kinds) {
    for (const object of state.objects.get(plural)?.values() ?? []) {
      if (kind === 'pv' && !isServed(object)) {
        continue;
      }
      const { namespace, name } = object.metadata;
      const ref = namespace === undefined ? { name } : { namespace, name };
      const { next } = await ask.explain(state, kind, ref);
      const undone = next.find(
        ({ who, does }) => /^(Holdfast|the API server)\b/.test(who) && !isWait.test(does) && !isLater(does),
      );
      found.push({ ref, words: undone === undefined ? '' : `${undone.who} ${undone.does}` });
    }
  }
  return found;
}

async function judgeRest({ history, ask, compare }: Court): Promise<void> {
  for (const { ref, words } of await owed(history.last, ask)) {
    compare('atRest', ref, words === '', `"${words}", and it is not done`);
  }
}

/** An undo window that is open, or that nobody ends. */
function isLater(does: string): boolean {
  return /^(deletes|would delete) (the claim|its storage) after /.test(does);
}

function isActing({ next }: Explanation): boolean {
  return next.some(({ who }) => who.startsWith('Holdfast'));
}

/**
 * The driver of the stories. Which drivers Holdfast serves, besides those it holds volumes of, is in no object: of
 * others nothing is compared.
 */
const servedDriver = 'csi.holdfast.dev';

function isServed({ spec }: PersistentVolume): boolean {
  return spec?.csi?.driver === servedDriver;
}

function objectAt(
  state: State,
  plural: string,
  { metadata }: KubernetesObject,
): KubernetesObject | undefined {
  const found = state.objects.get(plural)?.get(objectKey({ metadata }));
  return found?.metadata.uid === metadata.uid ? found : undefined;
}

function isThereAt(state: State, plural: string, object: KubernetesObject): boolean {
  const found = objectAt(state, plural, object);
  return found !== undefined && !isTerminating(found);
}

/** Whether its undo window runs. */
function isMarked(object: KubernetesObject | undefined): boolean {
  return object?.metadata.annotations?.['holdfast.dev/delete-after'] !== undefined;
}

/** Whether a write may change what becomes of the claims of a set. */
function concerns({ plural, ref }: Moment, namespace: string, names: readonly string[]): boolean {
  return ref.namespace === namespace && (plural === 'pods' || names.includes(ref.name));
}

/** Those that hold an object, but for its finalizers, by which they do. */
function othersHolding({ holders }: Explanation): readonly Holder[] {
  return holders.filter(({ kind, holds }) => kind !== 'finalizer' && holds);
}

function namesOf(holders: readonly Holder[]): string {
  return holders.map(({ kind, name }) => `${kind} ${name}`).join(', ') || 'nobody';
}
