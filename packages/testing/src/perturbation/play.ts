import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedControlPlane } from '../embedded-control-plane.ts';
import { startOrphanGuard } from '../real/orphan-guard.ts';
import { createActivity } from './activity.ts';
import { createCluster } from './cluster.ts';
import { createHandovers } from './handover.ts';
import { interfere, type Controls, type Interference } from './interference.ts';
import type { Operator, ProbeAnswer } from './operator.ts';
import { probeOf, type OperatorProcess } from './operator-process.ts';
import type { OperatorRequest } from './operator-request.ts';
import { needsElection, type Perturbation } from './perturbation.ts';
import type { Learned, LearnedEvent, LearnedRequest } from './perturbations-of.ts';
import { createOutside } from './outside.ts';
import { createPlaces } from './place.ts';
import { differences, projectionOf, type Projection } from './projection.ts';
import type { ProxyHooks, Treatment } from './proxy.ts';
import { untilQuiet, type QuietOptions } from './quiet.ts';
import { startReplicas, type Replicas } from './replicas.ts';
import type { Furniture, Scenario } from './scenario.ts';
import { Verdict, type Outcome } from './verdict.ts';
import { followState } from './world-state.ts';

export interface PlayOptions {
  readonly operator: Operator;
  readonly scenario: Scenario;
  /** What goes wrong in this run. Default: nothing. */
  readonly perturbations?: readonly Perturbation[];
  /**
   * The states that an undisturbed run reached before the first step and after each step. This run must reach
   * the same ones. Default: any state is accepted.
   */
  readonly ends?: readonly Projection[];
  /**
   * If the world is at rest in an unexpected state, it is given this many milliseconds to go on, because the
   * operator might be waiting for a certain time. Only a run that fails waits this long. Default 15,000.
   */
  readonly patience?: number;
}

export interface Run extends Learned {
  readonly outcome: Outcome;
  /** What went wrong; empty if the run held. */
  readonly problem: string;
  /** Whether every perturbation reached its place. If not, the run proves less than it should. */
  readonly isReached: boolean;
  /** The states that the run reached, see `PlayOptions.ends`; fewer if the run ended early. */
  readonly ends: readonly Projection[];
  /** How many times a process ended by itself. */
  readonly ownEnds: number;
  /** What happened, in order: steps, requests with their answers, changes, and perturbations. */
  readonly trace: readonly string[];
}

const nothing: Furniture = { idle: () => Promise.resolve(), stop: () => Promise.resolve() };
const triesOfStep = 3;
/** An operator that keeps going without reaching the end is given this many times its patience. */
const mostPatience = 8;
/** Plays a scenario once, in a world of its own. Never rejects because of what the operator does. */
export async function play(options: PlayOptions): Promise<Run> {
  const { operator, scenario, perturbations = [], ends: expected, patience = 15_000 } = options;
  const trace: string[] = [];
  const requests: LearnedRequest[] = [];
  const events = new Map<number, LearnedEvent>();
  const ends: Projection[] = [];
  const note = (text: string): void => void trace.push(text);
  const activity = createActivity();
  const placeOf = createPlaces();
  let step = -1;
  /** Whether the operator was kept from a change when this step, or an earlier one, began. */
  let wasBlind = false;
  let isBlind = false;
  let furniture = nothing;
  let view: number | undefined;
  let verdict: Verdict | undefined;
  /** How many perturbations are being carried out; meanwhile nothing counts as at rest. */
  let atWork = 0;
  const decide = (outcome: Exclude<Outcome, 'held'>, problem: string): void => {
    verdict ??= new Verdict(outcome, problem);
    activity.stir();
  };

  const folder = await mkdtemp(join(tmpdir(), 'holdfast-perturbation-'));
  const guard = await startOrphanGuard(folder);
  const plane = await startEmbeddedControlPlane({ ...scenario.plane, tls: false });
  const { storage } = plane.apiServer;
  const state = followState(storage, (change, after) => {
    if (change.kind !== 'Lease') {
      note(`server: ${change.place}`);
      activity.goOn();
    }
    for (const invariant of scenario.invariants) {
      const wrong = invariant.breach(change, after, { furniture, isBlind });
      if (wrong !== undefined) {
        decide('unsafe', `${invariant.name}: ${wrong}`);
      }
    }
  });
  const cluster = createCluster(plane);
  let replicas: Replicas | undefined;
  const probe = (process: OperatorProcess): Promise<ProbeAnswer> => probeOf(operator, process);

  const handovers = createHandovers({
    processes: () => replicas?.all.map(({ process }) => process) ?? [],
    leads: async (process) => (await probe(process)).leads === true,
    untilQuiet: (isCalledOff) => quiet({ atWork: () => atWork - handovers.awaited, isCalledOff }),
    isDecided: () => verdict !== undefined,
    note,
  });
  const controls: Controls = {
    crash: (process) => process.kill(),
    handOver: (process) => handovers.handOver(process),
    showStateBefore: (change) => {
      const revision = state.revisionOf(change);
      view = revision === undefined ? undefined : revision - 1;
      return revision !== undefined;
    },
    showNewestState: () => {
      view = undefined;
      replicas?.all.forEach(({ proxy }) => proxy.flush());
    },
    hasHappened: (change) => state.revisionOf(change) !== undefined,
    letGo: (how) =>
      replicas?.all.forEach(({ proxy }) => (how === 'in order' ? proxy.flush() : proxy.expireHeld())),
    note,
  };
  const interferences = perturbations.map((perturbation) => interfere(perturbation, controls));

  const treat = async (ask: (interference: Interference) => Promise<Treatment>): Promise<Treatment> => {
    atWork += 1;
    try {
      for (const interference of interferences) {
        const treatment = await ask(interference);
        if (treatment.kind !== 'pass') {
          return treatment;
        }
      }
      return { kind: 'pass' };
    } finally {
      atWork -= 1;
    }
  };

  const before = async (request: OperatorRequest, process: OperatorProcess): Promise<Treatment> => {
    const { place, effect } = request;
    if (place !== undefined) {
      requests.push({ place, effect, step });
      activity.goOn();
    }
    const treatment = await treat((interference) => interference.before(request, process));
    noteTreatment(request, process.name, treatment);
    return treatment;
  };

  const after = async (
    request: OperatorRequest,
    process: OperatorProcess,
    answer: string,
  ): Promise<Treatment> => {
    if (request.place !== undefined) {
      note(`${process.name}: ${request.place} -> ${answer}`);
      activity.goOn();
    }
    const treatment = await treat((interference) => interference.after(request, process));
    noteTreatment(request, process.name, treatment);
    return treatment;
  };

  const hooksOf = (process: () => OperatorProcess): ProxyHooks => ({
    before: (request) => before(request, process()),
    after: (request, answer) => after(request, process(), String(answer.code)),
    mayPass: ({ revision, isInitial }) =>
      isInitial ||
      (revision <= (view ?? Infinity) &&
        interferences.every((interference) => interference.mayPass(state.placeAt(revision)))),
    passed: ({ type, revision, isInitial }) => {
      activity.goOn();
      const place = state.placeAt(revision);
      if (!isInitial && type !== 'BOOKMARK' && place !== undefined && !events.has(revision)) {
        events.set(revision, { place, object: objectOf(place), step });
      }
    },
    stirred: activity.stir,
  });

  const noteTreatment = ({ place }: OperatorRequest, process: string, treatment: Treatment): void => {
    if (treatment.kind !== 'pass' && place !== undefined) {
      const how = treatment.kind === 'reset' ? 'connection reset' : String(treatment.answer.code);
      note(`${process}: ${place} -> ${how} (perturbed)`);
    }
  };

  /**
   * Finds the leader by asking the processes that are not frozen, since a call to the outside does not show
   * which process made it.
   */
  const leader = async (): Promise<OperatorProcess> => {
    const awake = replicas?.all.filter(({ process }) => !process.isFrozen) ?? [];
    const answers = await Promise.all(awake.map(({ process }) => probe(process)));
    const leading = awake[answers.findIndex(({ leads }) => leads === true)] ?? awake[0];
    if (leading === undefined) {
      throw new Error('a call came from outside, and no process of the operator runs');
    }
    return leading.process;
  };
  const callers = new WeakMap<OperatorRequest, OperatorProcess>();
  const outside = createOutside({
    placeOf,
    before: async (request) => {
      const process = await leader();
      callers.set(request, process);
      return before(request, process);
    },
    after: async (request) => after(request, callers.get(request) ?? (await leader()), 'done'),
  });

  const quiet = async (
    of: Pick<QuietOptions, 'atWork' | 'isCalledOff'> = { atWork: () => atWork },
  ): Promise<void> => {
    if (replicas !== undefined) {
      await untilQuiet({ probe, storage, furniture, replicas, activity, verdict: () => verdict, ...of });
    }
  };

  const project = async (): Promise<Projection> =>
    projectionOf(
      state.objects,
      (object) => (scenario.project === undefined ? object : scenario.project(object)),
      await scenario.remains?.(furniture),
    );

  /** The state that this step must reach; undefined if any state is accepted. */
  const endExpected = (): Projection | undefined => {
    const isLast = step === scenario.steps.length - 1;
    const isExcused =
      interferences.some(({ isHolding }) => isHolding) ||
      (wasBlind && (!isLast || scenario.mayEndOtherwise !== undefined));
    return isExcused ? undefined : expected?.[step + 1];
  };

  /** Waits until the world is at rest and has reached the expected state. */
  const rest = async (): Promise<void> => {
    const begun = performance.now();
    let restedAt: number | undefined;
    for (;;) {
      await quiet();
      if (interferences.some((interference) => interference.rested(step))) {
        continue;
      }
      const end = await project();
      const wanted = endExpected();
      const wrong = wanted === undefined ? [] : differences(wanted, end);
      if (wrong.length === 0) {
        ends.push(end);
        note('at rest');
        return;
      }
      const now = performance.now();
      restedAt ??= now;
      if (now > Math.max(restedAt, activity.wentOnAt) + patience || now > begun + mostPatience * patience) {
        throw new Verdict('stuck', `not the end expected: ${wrong.join('; ')}`);
      }
      await activity.next(50);
    }
  };

  const act = async (name: string, doIt: () => Promise<unknown>): Promise<void> => {
    for (let tries = 1; ; tries++) {
      note(`step: ${name}`);
      try {
        await doIt();
        return;
      } catch (error) {
        if (tries === triesOfStep || perturbations.length === 0) {
          throw new Verdict('broken', `step "${name}": ${messageOf(error)}`);
        }
        note(`refused: ${messageOf(error)}`);
        await quiet();
        // What is still kept from the operator might be exactly what it has to make room for.
        interferences.forEach((interference) => interference.rested(Infinity));
        await quiet();
      }
    }
  };

  try {
    furniture = (await scenario.furnish?.(plane, outside)) ?? nothing;
    await scenario.prepare?.(cluster, furniture);
    await furniture.idle();
    const elects = perturbations.some(needsElection);
    replicas = await startReplicas({
      operator,
      elects,
      args: scenario.args?.(furniture) ?? [],
      kubeconfig: async (url, name) => {
        const path = join(folder, name);
        await writeFile(path, plane.kubeconfig.replaceAll(plane.url, url));
        return path;
      },
      proxy: { upstream: plane.url, placeOf, view: () => view },
      hooksOf,
      guard,
      ended: (process, how) => {
        note(`${process.name} ended: ${how}`);
        activity.goOn();
      },
      failed: (problem) => decide('broken', problem),
    });
    await rest();
    for (const [index, each] of scenario.steps.entries()) {
      step = index;
      isBlind = interferences.some(({ isHolding }) => isHolding);
      wasBlind ||= isBlind;
      await act(each.name, () => each.act(cluster, furniture));
      await rest();
    }
  } catch (error) {
    verdict ??= error instanceof Verdict ? error : new Verdict('broken', messageOf(error));
  } finally {
    state.stop();
    await replicas?.stop();
    await furniture.stop();
    await plane.stop();
    await guard.dismiss();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    outcome: verdict?.outcome ?? 'held',
    problem: verdict?.message ?? '',
    isReached: interferences.every(({ isReached }) => isReached),
    requests,
    events: [...events].toSorted(([a], [b]) => a - b).map(([, event]) => event),
    ends,
    ownEnds: replicas?.ownEnds ?? 0,
    trace,
  };
}

/** Returns `Pod shop/web` for `MODIFIED Pod shop/web #2`. */
function objectOf(place: string): string {
  return place.replace(/^\S+ /, '').replace(/ #\d+$/, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
