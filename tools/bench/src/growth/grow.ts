import type { Contestant } from '../figures.ts';
import type { Program } from '../program.ts';
import { orderOf } from '../race.ts';
import { runRound, type Arena } from '../round.ts';
import { settled } from '../settle.ts';
import { startContestant } from '../contestant-process.ts';
import { join } from 'node:path';
import type { Course } from './course.ts';
import type { GrowthResult } from './growth-figures.ts';

export interface GrowOptions {
  readonly course: Course;
  readonly count: number;
  readonly rounds: number;
  /** The index of this size, from 0: the contestants also take turns in going first from size to size. */
  readonly step: number;
  readonly programs: Readonly<Record<Contestant, Program>>;
  /** A control plane on which nothing else was done. */
  readonly arena: Arena;
  /** Called with what is being done. */
  readonly say: (line: string) => void;
}

/** Milliseconds for reading all objects at the largest size. */
const restLimit = 60_000;

/**
 * Runs all rounds of one course at one size. There is no warm-up round, because the preparation warms up the
 * API server.
 *
 * @throws when interrupted, and if the work cannot be prepared
 */
export async function* grow(options: GrowOptions): AsyncGenerator<GrowthResult> {
  const { course, count, rounds, step, programs, arena, say } = options;
  const { benchmark } = course;
  const sizes = course.sizesOf(count);
  const goal = benchmark.goal(sizes);
  const setOff = benchmark.setOff;
  let isFirst = true;
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of orderOf(round + step)) {
      say(
        `${benchmark.holdfast.app}, ${String(goal.objects)}: preparing round ${String(round)} of ${contestant}`,
      );
      await benchmark.prepare(arena.api, sizes);
      if (isFirst && setOff !== undefined) {
        await makeAcquainted(programs.upstream, arena);
      }
      isFirst = false;
      await settled(arena.plane.apiServerPid, arena.signal, restLimit);
      say(`${contestant} runs`);
      const outcome = await runRound(programs[contestant], goal, arena, {
        setOff: setOff === undefined ? undefined : (api) => setOff(api, sizes),
        restLimit,
        countRequests: true,
      });
      yield {
        app: benchmark.holdfast.app,
        objects: goal.objects,
        result: { round, contestant, ...outcome },
      };
    }
  }
}

/**
 * Lets kube-controller-manager write what it writes once for objects that are new to it (revisions and status
 * of StatefulSets). In a real cluster that was done long ago, and here it would count against the contestant
 * that runs first.
 */
async function makeAcquainted(program: Program, { folder, signal }: Arena): Promise<void> {
  const process = await startContestant(program, folder, join(folder, 'acquaintance.log'));
  try {
    await settled(process.pid, signal, restLimit);
  } finally {
    await process.stop();
  }
}
