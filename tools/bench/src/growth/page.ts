import { inMebibytes } from '../figures.ts';
import { exponents } from './exponent.ts';
import { defaultCounts } from './growth-comparison.ts';
import { curveOf, measures, type GrowthReport, type Measure } from './growth-figures.ts';
import { growthRows } from './growth-rows.ts';
import { plotSvg, type Panel } from './plot.ts';

/** The figures that are plotted for an app. */
const plotted: readonly Measure['key'][] = ['wallSeconds', 'cpuSeconds', 'peakResidentBytes'];

/**
 * Renders the page and its images.
 *
 * @param given in any order; if several reports contain the same app, the newest counts, so that a single app
 *   can be measured again
 * @returns the files by path, relative to the folder of the pages
 */
export function growthPage(given: readonly GrowthReport[]): ReadonlyMap<string, string> {
  const reports = withoutOutdone(given);
  const all = {
    courses: reports.flatMap(({ courses }) => courses),
    results: reports.flatMap(({ results }) => results),
  };
  const files = new Map<string, string>([['benchmarks.md', markdown(reports, all)]]);
  for (const { app, objects } of all.courses) {
    const panels = measures
      .filter(({ key }) => plotted.includes(key))
      .map((measure) => panel(all, app, measure));
    files.set(
      imageOf(app),
      plotSvg({
        title: `${app} and upstream: ${panels.map(({ title }) => title).join(', ')} by number of ${objects}`,
        objects,
        legend: ['Holdfast', 'upstream'],
        panels,
      }),
    );
  }
  return files;
}

/** The part of a report that was measured, without the date. */
type Measured = Pick<GrowthReport, 'courses' | 'results'>;

function withoutOutdone(reports: readonly GrowthReport[]): readonly GrowthReport[] {
  const inOrder = reports.toSorted((a, b) => a.date.localeCompare(b.date, 'en'));
  return inOrder
    .map((report, place) => {
      const isLast = ({ app }: { readonly app: string }): boolean =>
        !inOrder.slice(place + 1).some(({ courses }) => courses.some((course) => course.app === app));
      return {
        ...report,
        courses: report.courses.filter(isLast),
        results: report.results.filter(isLast),
      };
    })
    .filter(({ courses }) => courses.length > 0);
}

function imageOf(app: string): string {
  return `benchmarks/${app}.svg`;
}

function panel(report: Measured, app: string, measure: Measure): Panel {
  const ofBytes = measure.unit === 'bytes';
  return {
    title: `${measure.title}, ${ofBytes ? 'MiB' : 's'}`,
    show: (value) => String(value),
    lines: (['holdfast', 'upstream'] as const).map((contestant) =>
      curveOf(report, app, contestant, measure).map(({ objects, spread }) => ({
        objects,
        spread:
          spread === undefined || !ofBytes
            ? spread
            : {
                median: spread.median / 2 ** 20,
                least: spread.least / 2 ** 20,
                most: spread.most / 2 ** 20,
              },
      })),
    ),
  };
}

function markdown(reports: readonly GrowthReport[], all: Measured): string {
  const { courses, results } = all;
  const failures = results.filter(({ result }) => result.kind === 'failed');
  const fact = (name: string, of: (report: GrowthReport) => string): string[] => [name, ...reports.map(of)];
  return `# Benchmarks

This page shows how much time, CPU and memory each controller takes at growing sizes, beside the upstream controller that does
the same work, on a real API server. A program generates this page and its images from the figures in [benchmarks](benchmarks).

${table([
  fact('', (report) => (reports.length === 1 ? '' : report.courses.map(({ app }) => app).join(', '))),
  fact('date', ({ date }) => date.slice(0, 10)),
  fact(
    'machine',
    ({ machine }) =>
      `${String(machine.cores)} cores, ${machine.processor}, ${inMebibytes(machine.memoryBytes)}`,
  ),
  fact('system', ({ machine }) => `Linux ${machine.kernel}, Node ${machine.node}`),
  fact('Kubernetes', ({ machine }) => machine.kubernetes),
  fact('load before', ({ machine }) => machine.load.toFixed(2)),
  fact('rounds of each', ({ rounds }) => String(rounds)),
])}

${busy(reports)}An exponent says how a figure grows from one size to the next. It is the slope between the two points when both axes are logarithmic: 1 is linear, below 1
is better, and 2 is quadratic. The fixed cost of a process's start lowers the exponent at small sizes, so the last step is the most meaningful one.

${conclusion(all)}

${failures.length === 0 ? '' : `Rounds that were not finished: ${failures.map(({ app, objects, result }) => `${app}, ${objects.toLocaleString('en')}, ${result.contestant}`).join('; ')}.\n\n`}${courses
    .map(({ app, work, upstream }) => {
      const [head = [], ...rows] = growthRows(all, app);
      return `## ${app}

Work: ${work}. Upstream: ${upstream.map((name) => `\`${name}\``).join(', ')}.

![Wall time, CPU and peak memory of ${app} and of upstream](${imageOf(app)})

${table([head, ...rows])}`;
    })
    .join('\n\n')}

## How it was measured

    npm run control-plane
    npm run bench -- growth --json docs/benchmarks/growth.json
    npm run bench -- growth --report docs/benchmarks/growth.json

The second command measures the sizes of \`--sizes\`, by default ${defaultCounts.map((count) => count.toLocaleString('en')).join(', ')}. The third command generates this page. It accepts several reports, separated by commas; for each app,
the newest report counts.

- **Setup.** Each app and size has its own etcd and kube-apiserver. Both contestants do the same work on it, one after the other. The one that begins alternates from
  size to size. The work is prepared while no contestant runs.
- **Wall time** counts from the start of the contestant's process until a watch has shown that the last object is done. Where the work is triggered later
  (default-class, retention), it counts from the trigger.
- **CPU and peak memory** are those of the contestant's process at that moment. They include its start and the filling of its caches.
- **Requests** are those that kube-apiserver answered to the contestant until then, by its own count, without watches.
- **Limits.** Neither contestant has an effective limit on requests. Both have their default number of workers. Contestant, API server and etcd share the
  machine's cores, so the sum of their work bounds the wall time.

More about rounds and figures is in [tools/bench](../tools/bench/README.md).
`;
}

/**
 * Returns a paragraph on how reliable the figures are that were measured on a busy machine; empty if there
 * are none.
 */
function busy(reports: readonly GrowthReport[]): string {
  const then = reports.filter(({ machine }) => machine.load > machine.cores);
  if (then.length === 0) {
    return '';
  }
  const apps = then.flatMap(({ courses }) => courses.map(({ app }) => app));
  return `The machine was busy with other things${then.length === reports.length ? '' : ` as ${apps.join(' and ')} ran`}: ${then.map(({ machine }) => machine.load.toFixed(0)).join(' and ')} processes wanted its ${String(then[0]?.machine.cores)} cores before the first round. So wall times are too long, by a factor that differs from
round to round, and CPU times are somewhat too long. Memory and requests are not affected.

`;
}

/** Names our largest exponents in the last step, so that readers do not have to search for them. */
function conclusion(report: Measured): string {
  const last = (key: Measure['key']): string => {
    const measure = measures.find((each) => each.key === key) ?? measures[0];
    const found = report.courses.flatMap(({ app }) => {
      const exponent = exponents(curveOf(report, app, 'holdfast', measure)).at(-1);
      return exponent === undefined ? [] : [{ app, exponent }];
    });
    const most = found.toSorted((a, b) => b.exponent - a.exponent)[0];
    return most === undefined
      ? `${measure.title} -`
      : `${measure.title} ${most.exponent.toFixed(2)} (${most.app})`;
  };
  return `Over the last step, the largest exponents of the four controllers are: ${last('wallSeconds')}, ${last('cpuSeconds')}, ${last('peakResidentBytes')}.`;
}

/** Formats a table as prettier would. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join(
    '\n',
  );
}
