import { inMebibytes, inSeconds, type Contestant } from '../figures.ts';
import { exponents } from './exponent.ts';
import { curveOf, measures, type GrowthReport, type Measure, type SizedSpread } from './growth-figures.ts';

const contestants: readonly Contestant[] = ['holdfast', 'upstream'];

/** Returns a row with the sizes of an app, and a row for each figure and contestant. */
export function growthRows(
  report: Pick<GrowthReport, 'results'>,
  app: string,
): readonly (readonly string[])[] {
  const [first] = measures;
  const sizes = curveOf(report, app, 'holdfast', first).map(({ objects }) => objects);
  const steps = sizes.slice(1).map((size, index) => `${inShort(sizes[index] ?? 0)} to ${inShort(size)}`);
  return [
    ['', '', ...sizes.map((size) => size.toLocaleString('en')), ...steps.map((step) => `exponent, ${step}`)],
    ...measures.flatMap((measure) =>
      contestants.map((contestant, index) => {
        const curve = curveOf(report, app, contestant, measure);
        return [
          index === 0 ? measure.title : '',
          contestant,
          ...curve.map((point) => cell(point, measure)),
          ...exponents(curve).map((exponent) => exponent?.toFixed(2).replace(/^-(?=0\.00$)/, '') ?? '-'),
        ];
      }),
    ),
  ];
}

/** Shows the median, with minimum and maximum if there was more than one round. */
function cell({ spread }: SizedSpread, measure: Measure): string {
  if (spread === undefined) {
    return '-';
  }
  const { median, least, most } = spread;
  return least === most
    ? show(median, measure)
    : `${show(median, measure)} (${show(least, measure)} to ${show(most, measure)})`;
}

function show(value: number, { unit }: Measure): string {
  switch (unit) {
    case 'seconds':
      return inSeconds(value);
    case 'bytes':
      return inMebibytes(value);
    case 'count':
      return value.toFixed(2);
  }
}

/** Returns `50k` for 50,000; a number that is no whole number of thousands is written out. */
export function inShort(count: number): string {
  return count >= 1_000 ? `${String(Number((count / 1_000).toFixed(1)))}k` : String(count);
}
