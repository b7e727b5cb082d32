import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { confined, notConfined } from './confined.ts';
import type { FromPlayer, ToPlayer } from './messages.ts';
import type { Mutant } from './mutants.ts';
import type { Target } from './targets.ts';

/** What happened to a mutant. */
export type Fate =
  | { readonly kind: 'killed'; readonly by: string }
  /** No test fails, but it does not compile: it cannot be written by mistake. */
  | { readonly kind: 'refused' }
  /** Its tests had not ended after the limit: an endless loop, or a promise that never settles. */
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'survived' };

/** After this many mutants a new process starts, so that what they leave behind does not add up. */
const atOnce = 150;

/**
 * Limits for what never ends, in milliseconds: for one test, and for a whole file, in addition to ten times
 * what its tests take without a mutant.
 */
const testTimeout = 5_000;
const patience = 10_000;

/**
 * Plays the mutants of one file against its tests, one after the other. Survivors, and mutants of code that
 * is evaluated while the file is loaded, are played in a process of their own, in which they are switched on
 * from the start. So are the mutants of a process that did not end as it had begun.
 *
 * @param compiles called only for survivors, since it takes longer than most tests. It is not used for
 *   conditions that always go the same way: even if the types of later code need the other way, that does not
 *   show whether a test does.
 * @param isQuick whether survivors count as survivors at once
 * @throws Error if the tests cannot be run, or fail without any mutant
 */
export async function playMutants(
  { file, tests, deletesFiles = false }: Target,
  mutants: readonly Mutant[],
  { compiles, isQuick }: { readonly compiles: (mutant: Mutant) => boolean; readonly isQuick: boolean },
  onFate: (mutant: Mutant, fate: Fate) => void,
): Promise<void> {
  const settle = async (mutant: Mutant, played: Fate | undefined): Promise<void> => {
    if (played?.kind === 'survived' && !mutant.isOneWay && !compiles(mutant)) {
      onFate(mutant, { kind: 'refused' });
    } else {
      const isOpen = played === undefined || (played.kind === 'survived' && !isQuick);
      onFate(mutant, isOpen ? await alone(mutant) : played);
    }
  };
  const alone = async (mutant: Mutant): Promise<Fate> => {
    const { id } = mutant;
    const played = await playSome(
      { file, tests, ids: [id], loadedWith: id, testTimeout },
      deletesFiles,
      60_000,
    );
    const fate = played.fates.get(id) ?? { kind: 'killed', by: 'it is not loaded' };
    return fate.kind === 'survived' && !mutant.isOneWay && !compiles(mutant) ? { kind: 'refused' } : fate;
  };

  let waiting = mutants.filter(({ isStatic }) => !isStatic);
  for (const mutant of mutants.filter(({ isStatic }) => isStatic)) {
    await settle(mutant, undefined);
  }
  while (waiting.length > 0) {
    const some = waiting.slice(0, atOnce);
    const ids = some.map(({ id }) => id);
    const played = await playSome({ file, tests, ids, loadedWith: undefined, testTimeout }, deletesFiles);
    if (played.notLoaded !== undefined) {
      throw new Error(`${file}: its tests can't be run: ${played.notLoaded}`);
    }
    for (const mutant of some) {
      const fate = played.fates.get(mutant.id);
      if (fate !== undefined) {
        await settle(mutant, played.isClean || fate.kind === 'timedOut' ? fate : undefined);
      }
    }
    waiting = waiting.filter(({ id }) => !played.fates.has(id));
  }
}

interface Played {
  readonly fates: ReadonlyMap<number, Fate>;
  /**
   * Whether each killed mutant was killed by its own change: the tests passed before and after without one.
   */
  readonly isClean: boolean;
  readonly notLoaded: string | undefined;
}

/** Plays mutants in one process, until one of them does not end. */
async function playSome(todo: ToPlayer, deletesFiles: boolean, limitOfFirst = 120_000): Promise<Played> {
  const command = [
    process.execPath,
    '--conditions=@holdfast/source',
    // Warnings about what a mutant leaves open.
    '--no-warnings',
    fileURLToPath(new URL('player.ts', import.meta.url)),
  ] as const;
  const [program, commandArguments] = deletesFiles ? confined(command) : [command[0], command.slice(1)];
  const player = spawn(program, commandArguments, {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const fates = new Map<number, Fate>();
  let isClean = true;
  let notLoaded: string | undefined;
  let limit = limitOfFirst;
  let begun = performance.now();
  let playing: number | undefined;
  let timer = setTimeout(() => player.kill('SIGKILL'), limit);
  player.on('message', (message: FromPlayer) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (playing !== undefined) {
        fates.set(playing, { kind: 'timedOut' });
      }
      player.kill('SIGKILL');
    }, limit);
    switch (message.kind) {
      case 'begun':
        playing = message.id;
        begun = performance.now();
        break;
      case 'played':
        playing = undefined;
        if (message.id !== undefined) {
          fates.set(
            message.id,
            message.killedBy === undefined ? { kind: 'survived' } : { kind: 'killed', by: message.killedBy },
          );
        } else if (message.killedBy === undefined) {
          limit = 10 * (performance.now() - begun) + patience;
        } else {
          notLoaded = `without a mutant "${message.killedBy}" fails`;
          player.kill('SIGKILL');
        }
        break;
      case 'atEnd':
        isClean = message.failed === undefined;
        break;
      case 'notLoaded':
        notLoaded = message.why;
        break;
    }
  });
  player.send(todo);
  const code = await new Promise((resolve) => {
    player.once('exit', resolve);
    // There is no such program.
    player.once('error', () => resolve(notConfined));
  });
  clearTimeout(timer);
  if (deletesFiles && (code === notConfined || (code === 1 && fates.size === 0))) {
    throw new Error(`${todo.file} deletes files, and is not played where it could delete any`);
  }
  if (playing !== undefined && !fates.has(playing)) {
    fates.set(playing, { kind: 'killed', by: 'the process ended' });
  }
  const isUnplayed = fates.size === 0 && notLoaded === undefined;
  return {
    fates,
    isClean,
    notLoaded: isUnplayed ? 'the process ended before' : notLoaded,
  };
}
