import type { Benchmark } from './benchmark.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { Contestant, Result } from './figures.ts';
import type { Program } from './program.ts';
import { runRound, type Arena } from './round.ts';
import { settled } from './settle.ts';

export interface RaceOptions {
  readonly benchmark: Benchmark;
  readonly sizes: Readonly<Record<string, number>>;
  readonly rounds: number;
  readonly programs: Readonly<Record<Contestant, Program>>;
  readonly arena: Arena;
  /** Called with what is being done. */
  readonly say: (line: string) => void;
}

/**
 * Runs one round for warming up, number 0, and then the rounds that count. In each, both contestants do the
 * same work one after the other. They take turns in going first, because the second one finds a fuller etcd.
 *
 * @throws when interrupted, and if the work cannot be prepared
 */
export async function* race(options: RaceOptions): AsyncGenerator<Result> {
  const { benchmark, sizes, rounds, programs, arena, say } = options;
  for (let round = 0; round <= rounds; round++) {
    for (const contestant of orderOf(round)) {
      say(`preparing ${round === 0 ? 'the warm-up' : `round ${String(round)}`} of ${contestant}`);
      await benchmark.prepare(arena.api, sizes);
      await settled(arena.plane.apiServerPid, arena.signal);
      say(`${contestant} runs`);
      const goal = benchmark.goal(sizes);
      const setOff =
        benchmark.setOff === undefined
          ? undefined
          : (api: ClusterApi) => benchmark.setOff?.(api, sizes) ?? Promise.resolve();
      yield { round, contestant, ...(await runRound(programs[contestant], goal, arena, { setOff })) };
    }
  }
}

export function orderOf(round: number): readonly Contestant[] {
  return round % 2 === 1 ? ['holdfast', 'upstream'] : ['upstream', 'holdfast'];
}
