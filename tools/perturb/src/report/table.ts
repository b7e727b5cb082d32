import { perturbationKinds } from '@holdfast/testing/perturbation';
import { countRuns, type Count, type Report } from './report.ts';

/**
 * Formats a table with a column for each scenario and a row for each kind of perturbation: the number of
 * runs, and how many of them failed or missed their place.
 */
export function tableOf({ scenarios }: Report): string {
  const rows = [
    ['', ...scenarios.map(({ name }) => name), 'all'],
    ...perturbationKinds.flatMap((kind) => {
      const counts = scenarios.map(({ runs }) => countRuns(runs.filter(({ kinds }) => kinds.includes(kind))));
      const all = countRuns(
        scenarios.flatMap(({ runs }) => runs.filter(({ kinds }) => kinds.includes(kind))),
      );
      return all.runs === 0 ? [] : [[kind, ...counts.map(cell), cell(all)]];
    }),
    [
      'all',
      ...scenarios.map(({ runs }) => cell(countRuns(runs))),
      cell(countRuns(scenarios.flatMap(({ runs }) => runs))),
    ],
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((text, column) =>
          column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

function cell({ runs, failed, missed }: Count): string {
  if (runs === 0) {
    return '-';
  }
  const notes = [failed > 0 ? `${String(failed)} FAILED` : '', missed > 0 ? `${String(missed)} missed` : ''];
  return [String(runs), ...notes.filter((note) => note !== '')].join(', ');
}
