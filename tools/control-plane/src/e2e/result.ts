import type { Outcome } from './outcome.ts';
import type { Player } from './world.ts';

/** A test, and how it ended for each player that was requested. */
export interface Row {
  readonly app: string;
  readonly test: string;
  /** What the test reads differently, if the stock controller does not play. */
  readonly lens: string | undefined;
  readonly outcomes: Readonly<Partial<Record<Player, Outcome>>>;
}

/** The same counts as in jest's reports, so that `tools/ci/src/count.ts` can sum both. */
export interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * Decides whether a player's outcome is right, if that player was requested:
 *
 * | player   | passed                                    | not passed                                         |
 * | -------- | ----------------------------------------- | -------------------------------------------------- |
 * | stock    | right                                     | wrong: the test can't be passed in this world      |
 * | holdfast | right                                     | wrong: ours does not do what the stock one does    |
 * | nobody   | wrong: the test does not notice who is missing | right, when it ran                            |
 */
function isRight(player: Player, { state }: Outcome): boolean {
  switch (player) {
    case 'stock':
    case 'holdfast':
      return state === 'passed';
    case 'nobody':
      return state === 'failed' || state === 'timedout';
  }
}

function isPassed({ outcomes }: Row, asked: readonly Player[]): boolean {
  return asked.every((player) => {
    const outcome = outcomes[player];
    return outcome !== undefined && isRight(player, outcome);
  });
}

/** A test counts as passed if every requested outcome is right, see above. */
export function countsOf(rows: readonly Row[], asked: readonly Player[]): Counts {
  const passed = rows.filter((row) => isPassed(row, asked)).length;
  return {
    numPassedTests: passed,
    numFailedTests: rows.length - passed,
    numPendingTests: 0,
    numTodoTests: 0,
    numRuntimeErrorTestSuites: 0,
  };
}

/** Returns a Markdown table with one line per test, and below it why tests did not pass. */
export function tableOf(rows: readonly Row[], players: readonly Player[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [
    line(['in the place of the stock controller', 'test', ...players]),
    line(['---', '---', ...players.map(() => '---')]),
    ...rows.map(({ app, test, lens, outcomes }) =>
      line([
        app,
        test,
        ...players.map((player) => cellOf(outcomes[player], player === 'stock' ? undefined : lens)),
      ]),
    ),
  ];
  const reasons = rows.flatMap(({ test, outcomes }) =>
    players.flatMap((player) => {
      const outcome = outcomes[player];
      return outcome === undefined || outcome.state === 'passed'
        ? []
        : [`\n${player}, ${test}: ${outcome.state}\n${outcome.message.replaceAll(/^/gm, '    ')}`];
    }),
  );
  return [...table, ...reasons].join('\n');
}

function cellOf(outcome: Outcome | undefined, lens: string | undefined): string {
  if (outcome === undefined) {
    return 'not run';
  }
  const { state, seconds } = outcome;
  return [
    state,
    ...(seconds === undefined ? [] : [`${seconds.toFixed(0)} s`]),
    ...(lens === undefined ? [] : [lens]),
  ].join(', ');
}
