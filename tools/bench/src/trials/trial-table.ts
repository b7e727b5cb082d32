import { inMebibytes, inMilliseconds, inSeconds } from '../figures.ts';
import { spreadOf, type Spread } from '../spread.ts';
import { alignColumns, spreadCells } from '../table.ts';
import type { TrialFigure } from './trial.ts';

/** A figure over all rounds. */
export interface TrialSummary extends Omit<TrialFigure, 'value'> {
  readonly spread: Spread | undefined;
  /** Whether every round achieves the aim; undefined if there is none. */
  readonly isWithinAim: boolean | undefined;
}

export function summarizeTrial(rounds: readonly (readonly TrialFigure[])[]): readonly TrialSummary[] {
  return (rounds[0] ?? []).map(({ title, unit, aim }) => {
    const values = rounds.flatMap((figures) =>
      figures.filter((figure) => figure.title === title).map(({ value }) => value),
    );
    return {
      title,
      unit,
      ...(aim === undefined ? {} : { aim }),
      spread: spreadOf(values),
      isWithinAim: aim === undefined ? undefined : values.every((value) => value <= aim),
    };
  });
}

const shown: Readonly<Record<TrialFigure['unit'], (value: number) => string>> = {
  seconds: inSeconds,
  milliseconds: (value) => inMilliseconds(value / 1000),
  bytes: inMebibytes,
  times: (value) => value.toFixed(2),
  count: (value) => value.toLocaleString('en'),
};

/** Formats medians, each with minimum and maximum, and the aims. */
export function trialTable(summaries: readonly TrialSummary[]): string {
  return alignColumns(
    summaries.map(({ title, unit, aim, spread, isWithinAim }) => {
      const show = shown[unit];
      return [
        title,
        ...spreadCells(spread, show),
        aim === undefined ? '' : `${isWithinAim === true ? 'within' : 'BEYOND'} ${show(aim)}`,
      ];
    }),
  );
}

/** Formats one round in one line. */
export function trialLine(round: number, figures: readonly TrialFigure[]): string {
  const told = figures.map(({ title, value, unit }) => `${title} ${shown[unit](value)}`);
  return [`round ${String(round)}`, ...told].join('  ');
}
