import { perturbationKinds } from '@holdfast/testing/perturbation';
import { countRuns, type Count, type Report, type ReportedFailure } from './report.ts';

/** Renders the report as a self-contained page. */
export function pageOf(report: Report): string {
  const { app, scenarios, failures, pairs, seed } = report;
  const all = countRuns(scenarios.flatMap(({ runs }) => runs));
  const kinds = perturbationKinds.filter((kind) =>
    scenarios.some(({ runs }) => runs.some((run) => run.kinds.includes(kind))),
  );
  const head = scenarios.map(({ name }) => `<th>${escape(name)}</th>`).join('');
  const rows = kinds.map((kind) => {
    const cells = scenarios.map(({ name, runs }) => {
      const shortest = failures.find((failure) => failure.scenario === name && failure.kinds.includes(kind));
      return cell(
        countRuns(runs.filter((run) => run.kinds.includes(kind))),
        shortest && failures.indexOf(shortest),
      );
    });
    return `<tr><th>${kind}</th>${cells.join('')}</tr>`;
  });
  const learned = scenarios.map(
    ({ name, description, requests, writes, events, unstable, perturbations }) =>
      `<tr><th>${escape(name)}</th><td class="text">${escape(description)}</td><td>${requests}</td><td>${writes}</td><td>${events}</td><td>${perturbations}</td><td>${unstable.length}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escape(app)}, perturbed</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { border: 1px solid #d0d7de; padding: .25rem .6rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td.text { text-align: left; }
td.held { background: #e6f6ea; }
td.failed { background: #ffe3e0; font-weight: 600; }
td.none { color: #8c959f; }
pre { background: #f6f8fa; padding: .75rem; overflow-x: auto; font-size: 13px; }
small { color: #57606a; }
</style>
</head>
<body>
<h1>${escape(app)}, perturbed</h1>
<p>${all.runs} runs${pairs > 0 ? ` with two perturbations each, seed ${String(seed)}` : ''}: ${all.failed} failed, ${all.missed} in which a perturbation did not come to its place.</p>
<table>
<thead><tr><th></th>${head}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<h2>Scenarios</h2>
<table>
<thead><tr><th>scenario</th><th>what happens</th><th>requests</th><th>of them writes</th><th>events</th><th>perturbations</th><th>unstable places</th></tr></thead>
<tbody>
${learned.join('\n')}
</tbody>
</table>
<h2>Failures</h2>
${failures.length === 0 ? '<p>None.</p>' : failures.map(failureOf).join('\n')}
</body>
</html>
`;
}

function cell({ runs, failed, missed }: Count, shortest: number | undefined): string {
  if (runs === 0) {
    return '<td class="none">-</td>';
  }
  const note = missed > 0 ? ` <small>${String(missed)} missed</small>` : '';
  return failed === 0
    ? `<td class="held">${String(runs)}${note}</td>`
    : `<td class="failed"><a href="#failure-${String(shortest)}">${String(failed)} of ${String(runs)}</a>${note}</td>`;
}

function failureOf(failure: ReportedFailure, index: number): string {
  const { scenario, perturbations, outcome, problem, trace, replay } = failure;
  return `<section id="failure-${String(index)}">
<h3>${escape(scenario)}: ${escape(perturbations.join('; '))}</h3>
<p>${escape(outcome)}: ${escape(problem)}</p>
<p><code>${escape(replay)}</code></p>
<pre>${escape(trace.join('\n'))}</pre>
</section>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
