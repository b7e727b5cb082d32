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
import type { Kind } from '../../src/command-line.ts';
import type { Explanation, Holder } from '../../src/explain/explanation.ts';
import type { History, Moment, State } from './history.ts';

/** Asks `explain` of an object of a state. */
export type Ask = (state: State, of: Kind, ref: ObjectRef) => Promise<Explanation>;

/** What came of the sayings about a story. */
export interface Verdict {
  /** How many sayings of each sort could be compared with what then happened. */
  readonly compared: ReadonlyMap<Saying, number>;
  /** What came about otherwise, a sentence each. */
  readonly wrong: readonly string[];
}

/**
 * What `explain` says, and what must come of it:
 *
 * | saying        | asked when                        | says                                          | must come of it                                            |
 * |---------------|-----------------------------------|-----------------------------------------------|------------------------------------------------------------|
 * | held          | a controller lets the object go   | who holds it                                  | nobody but finalizers                                      |
 * | ifDeleted     | the story deletes claim or volume | it goes at once, or stays until pods or claim | it is gone or held by nobody, or held by these             |
 * | claimOfVolume | the claim of a volume goes        | what then becomes of the volume               | it goes, or is there until the story writes it again       |
 * | setActed      | the story scales or deletes a set | each claim goes or stays                      | so it is, until the story does something else about them   |
 * | atRest        | all have come to rest             | what Holdfast does next                       | nothing but waiting                                        |
 */
export const sayings = ['held', 'ifDeleted', 'claimOfVolume', 'setActed', 'atRest'] as const;

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
  const holders = othersHolding(await ask(before, kind, ref)).filter(
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
  const then = (await ask(before, kind, ref)).ifs.find(({ what }) => what === 'it is deleted')?.then ?? '';
  const until = /^it stays, being deleted, until (.*?)( (?:does|do) not use it any more| is gone)?;/.exec(
    then,
  )?.[1];
  const holders = now === undefined ? [] : othersHolding(await ask(after, kind, ref));
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
  const told = await ask(before, 'pv', ref);
  const then = told.ifs.find(({ what }) => /^claim .* is deleted$/.test(what))?.then ?? '';
  const isItsOwn = ({ plural: other, ref: { name } }: Moment): boolean =>
    other === 'persistentvolumes' && name === ref.name;
  const written = rest.find((each) => isItsOwn(each) && each.byHand);
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
  { plural, ref, old, now, byHand, before }: Moment,
  rest: readonly Moment[],
): Promise<void> {
  const set = old as StatefulSet | undefined;
  const changed = now as StatefulSet | undefined;
  const { namespace = '' } = ref;
  if (plural !== 'statefulsets' || set === undefined || !byHand || isTerminating(set)) {
    return;
  }
  const isDeleted = changed === undefined;
  const wanted = (changed?.spec?.ordinals?.start ?? 0) + (changed?.spec?.replicas ?? 0);
  const isScaled = changed?.spec?.replicas !== set.spec?.replicas;
  if (!isDeleted && !isScaled) {
    return;
  }
  const what = `StatefulSet ${ref.name} is ${isDeleted ? 'deleted' : 'scaled below it'}`;
  const stems = stemsOf(set);
  const claims = [...(before.objects.get('persistentvolumeclaims')?.values() ?? [])].filter((claim) => {
    const { stem, ordinal } = parseClaimName(claim) ?? {};
    const isBelow = isDeleted || (ordinal ?? -1) >= wanted;
    return claim.metadata.namespace === namespace && stems.includes(stem ?? '') && isBelow;
  });
  const names = [ref.name, ...claims.map(({ metadata }) => metadata.name)];
  const next = rest.find(
    (each) => (each.byHand && concerns(each, namespace, names)) || each.before.running !== before.running,
  );
  const until = next === undefined ? history.last : next.before;
  for (const claim of claims.filter((each) => !isTerminating(each))) {
    const { ifs } = await ask(before, 'pvc', { namespace, name: claim.metadata.name });
    const first = ifs.findIndex((each) => each.what === what);
    const isOneOfSeveral = ifs[first + 1]?.what === 'or, as may be';
    const then = ifs[first]?.then ?? '';
    const isThere = isThereAt(until, 'persistentvolumeclaims', claim);
    // What goes takes its time, and what the story does next may come before.
    if (isOneOfSeveral || (then.startsWith('the claim goes:') && isThere && next !== undefined)) {
      continue;
    }
    const isRight = then.startsWith('the claim goes after')
      ? !isThere || isMarked(objectAt(until, 'persistentvolumeclaims', claim))
      : isThere === then.startsWith('the claim stays:');
    compare('setActed', claim.metadata, isRight, `"${then}", and ${isThere ? 'stays' : 'goes'}`);
  }
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
      const { next } = await ask(state, kind, ref);
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

/** An undo window that is open. */
function isLater(does: string): boolean {
  return /^deletes (the claim|its storage) after /.test(does);
}

function isActing({ next }: Explanation): boolean {
  return next.some(({ who }) => who.startsWith('Holdfast'));
}

/** The driver of the stories. Which drivers Holdfast serves, besides those it holds volumes of, is in no object: of others nothing is compared. */
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
