import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedControlPlane } from '../embedded-control-plane.ts';
import { startOrphanGuard } from '../real/orphan-guard.ts';
import { createActivity } from './activity.ts';
import { createCluster } from './cluster.ts';
import { interfere, type Controls, type Interference } from './interference.ts';
import type { Operator } from './operator.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { OperatorRequest } from './operator-request.ts';
import { needsElection, type Perturbation } from './perturbation.ts';
import type { Learned, LearnedEvent, LearnedRequest } from './perturbations-of.ts';
import { createPlaces } from './place.ts';
import { differences, projectionOf, type Projection } from './projection.ts';
import type { ProxyHooks, Treatment } from './proxy.ts';
import { startReplicas, type Replica, type Replicas } from './replicas.ts';
import type { Furniture, Scenario } from './scenario.ts';
import { followState } from './world-state.ts';

export interface PlayOptions {
  readonly operator: Operator;
  readonly scenario: Scenario;
  /** What goes wrong in this run. Default: nothing. */
  readonly perturbations?: readonly Perturbation[];
  /**
   * What an undisturbed run came to before the first step and after each: this run must come to the same, each time. Default: whatever it comes to
   * is right.
   */
  readonly ends?: readonly Projection[];
  /**
   * A world that is at rest without having come to what was expected is given this long to go on, milliseconds: an operator might wait for a
   * time. Only a run that fails waits for it. Default 15,000.
   */
  readonly patience?: number;
}

/**
 * How a run went.
 *
 * - `held`: every state was safe, and each step came to the end expected.
 * - `unsafe`: a state of the server broke an invariant.
 * - `stuck`: the world did not come to rest, or not to the end expected.
 * - `broken`: the scenario could not be played.
 */
export type Outcome = 'held' | 'unsafe' | 'stuck' | 'broken';

export interface Run extends Learned {
  readonly outcome: Outcome;
  /** What was wrong; empty when it held. */
  readonly problem: string;
  /** Whether every perturbation came to its place. Where one did not, the run shows less than it should. */
  readonly isReached: boolean;
  /** See `PlayOptions.ends`; as far as it came. */
  readonly ends: readonly Projection[];
  /** How often a process ended by itself. */
  readonly ownEnds: number;
  /** What happened, in order: steps, requests with their answers, changes, and what was perturbed. */
  readonly trace: readonly string[];
}

/** Ends a run. */
class Verdict extends Error {
  readonly outcome: Exclude<Outcome, 'held'>;

  constructor(outcome: Exclude<Outcome, 'held'>, problem: string) {
    super(problem);
    this.outcome = outcome;
  }
}

const nothing: Furniture = { idle: () => Promise.resolve(), stop: () => Promise.resolve() };
/** What is quiet must be so for this long, milliseconds: what a process was sent is then read, and what it has sent has come. */
const calm = 3;
const triesOfStep = 3;
/** A world in which nothing happens for so long is not going to come to rest, and none comes to rest that takes longer than that in all. Milliseconds. */
const restless = { withoutChange: 30_000, inAll: 120_000 };

/** Plays a scenario once, in a world of its own. Never rejects for what the operator does. */
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
  /** When the last thing happened that was not a matter of time alone, as the renewal of a Lease is. */
  let advanced = performance.now();
  /** It was kept from a change when the step began, or an earlier one. */
  let wasBlind = false;
  let isBlind = false;
  let furniture = nothing;
  let view: number | undefined;
  let verdict: Verdict | undefined;
  /** Perturbations that are being carried out: nothing is at rest meanwhile. */
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
      advanced = performance.now();
    }
    activity.stir();
    for (const invariant of scenario.invariants) {
      const wrong = invariant.breach(change, after, { furniture, isBlind });
      if (wrong !== undefined) {
        decide('unsafe', `${invariant.name}: ${wrong}`);
      }
    }
  });
  const cluster = createCluster(plane);
  let replicas: Replicas | undefined;

  const controls: Controls = {
    crash: (process) => process.kill(),
    handOver: async (process) => {
      process.freeze();
      note(`${process.name} is stopped`);
      for (;;) {
        const others = replicas?.all.filter(({ process: other }) => other !== process) ?? [];
        const answers = await Promise.all(others.map((other) => operator.probe(other.process.output)));
        if (answers.some(({ leads }) => leads === true)) {
          break;
        }
        if (verdict !== undefined) {
          return;
        }
        await sleep(20);
      }
      note('another process leads');
      await untilQuiet(1);
      process.thaw();
      note(`${process.name} is continued`);
    },
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

  const hooksOf = (process: () => OperatorProcess): ProxyHooks => ({
    before: async (request) => {
      const { place, effect } = request;
      activity.stir();
      if (place !== undefined) {
        requests.push({ place, effect, step });
        advanced = performance.now();
      }
      const treatment = await treat((interference) => interference.before(request, process()));
      noteTreatment(request, process().name, treatment);
      return treatment;
    },
    after: async (request, answer) => {
      if (request.place !== undefined) {
        note(`${process().name}: ${request.place} -> ${String(answer.code)}`);
      }
      const treatment = await treat((interference) => interference.after(request, process()));
      noteTreatment(request, process().name, treatment);
      return treatment;
    },
    mayPass: ({ revision, isInitial }) =>
      isInitial ||
      (revision <= (view ?? Infinity) &&
        interferences.every((interference) => interference.mayPass(state.placeAt(revision)))),
    passed: ({ type, revision, isInitial }) => {
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

  const isBusy = ({ process, proxy }: Replica): boolean =>
    !process.isFrozen &&
    (process.hasEnded ||
      proxy.underWay > 0 ||
      !proxy.areWatchesLevel(
        ({ group, resource, namespace, query }, received) =>
          query.has('labelSelector') ||
          query.has('fieldSelector') ||
          storage
            .changesSince(group === '' ? resource : `${group}/${resource}`, received)
            .every(({ entry }) => namespace !== '' && entry.namespace !== namespace),
      ));

  const areIdle = async (running: readonly Replica[]): Promise<boolean> => {
    const answers = await Promise.all(
      running.filter(({ process }) => !process.isFrozen).map(({ process }) => operator.probe(process.output)),
    );
    return (
      answers.every(({ isIdle }) => isIdle) &&
      (replicas?.elect !== true || answers.some(({ leads }) => leads === true))
    );
  };

  const limitFromNow = (): { readonly isOver: () => boolean } => {
    const begun = performance.now();
    return {
      isOver: () => {
        const now = performance.now();
        return now > Math.max(begun, advanced) + restless.withoutChange || now > begun + restless.inAll;
      },
    };
  };

  /** @param except perturbations at work that this is part of. */
  const untilQuiet = async (except = 0, limit = limitFromNow()): Promise<void> => {
    for (;;) {
      if (verdict !== undefined) {
        throw verdict;
      }
      if (limit.isOver()) {
        throw new Verdict('stuck', await whatIsMissing());
      }
      const running = replicas?.all ?? [];
      const before = activity.count;
      if (atWork > except || running.some(isBusy)) {
        await activity.next(20);
        continue;
      }
      await furniture.idle();
      if (!(await areIdle(running))) {
        await activity.next(5);
        continue;
      }
      await sleep(calm);
      if (activity.count === before && (await areIdle(running)) && activity.count === before) {
        return;
      }
    }
  };

  const project = async (): Promise<Projection> =>
    projectionOf(
      state.objects,
      (object) => (scenario.project === undefined ? object : scenario.project(object)),
      await scenario.remains?.(furniture),
    );

  /** What this step must come to; undefined: to whatever it does. */
  const endExpected = (): Projection | undefined => {
    const isLast = step === scenario.steps.length - 1;
    const isExcused =
      interferences.some(({ isHolding }) => isHolding) ||
      (wasBlind && (!isLast || scenario.mayEndOtherwise !== undefined));
    return isExcused ? undefined : expected?.[step + 1];
  };

  const whatIsMissing = async (): Promise<string> => {
    const wanted = endExpected();
    const wrong = wanted === undefined ? [] : differences(wanted, await project());
    const busy = (replicas?.all ?? []).map(({ process, proxy }) =>
      process.hasEnded
        ? `${process.name} has ended`
        : `${process.name} has ${String(proxy.underWay)} requests under way, and is ${proxy.isHolding ? '' : 'not '}kept from events`,
    );
    return wrong.length > 0 ? `not the end expected: ${wrong.join('; ')}` : `no rest: ${busy.join('; ')}`;
  };

  /** Waits until the world is at rest, and has come to what was expected. */
  const rest = async (): Promise<void> => {
    const limit = limitFromNow();
    let restedAt: number | undefined;
    for (;;) {
      await untilQuiet(0, limit);
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
      restedAt ??= performance.now();
      if (performance.now() > Math.max(restedAt, advanced) + patience) {
        throw new Verdict('stuck', await whatIsMissing());
      }
      await activity.next(50);
    }
  };

  const act = async (name: string, doIt: () => Promise<void>): Promise<void> => {
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
        await untilQuiet();
        // What is still kept from the operator might be what it has to make room for.
        interferences.forEach((interference) => interference.rested(Infinity));
        await untilQuiet();
      }
    }
  };

  try {
    furniture = (await scenario.furnish?.(plane)) ?? nothing;
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
        advanced = performance.now();
        activity.stir();
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

/** `Pod shop/web` of `MODIFIED Pod shop/web #2`. */
function objectOf(place: string): string {
  return place.replace(/^\S+ /, '').replace(/ #\d+$/, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
