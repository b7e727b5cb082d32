import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { alerts, metricsIn } from './alerts.ts';
import { declaredIn, inOurNames } from './declared-metrics.ts';
import { appNames } from './four-apps.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runbooks = join(root, 'docs', 'runbooks');

/** The names of all metrics that the sources declare. deploy.real.test.ts looks at what the processes export. */
function declaredMetrics(): ReadonlySet<string> {
  const folders = ['packages/runtime', ...appNames.map((name) => `apps/${name}`)];
  const texts = folders.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => inOurNames(readFileSync(join(root, folder, 'src', path), 'utf8'))),
  );
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => name ?? '')),
  );
}

/** What promtool tries of the alerts, see prometheus.real.test.ts. */
const ruleTests = globSync('alert-rules/*.yaml', { cwd: import.meta.dirname })
  .toSorted()
  .map((path) => ({
    name: basename(path),
    content: load(readFileSync(join(import.meta.dirname, path), 'utf8')) as {
      readonly rule_files: readonly string[];
      readonly tests: readonly {
        readonly input_series: readonly { readonly series: string }[];
        readonly promql_expr_test: readonly {
          readonly expr: string;
          readonly exp_samples: readonly unknown[];
        }[];
      }[];
    },
  }));

/** Labels that Prometheus gives, or that a metric and its target might both have. */
const ofTargets = new Set(['job', 'instance', 'namespace', 'exported_namespace']);

describe('alerts of deploy/monitoring', () => {
  test.each(alerts)('$alert of $path -> each metric is declared by an app', ({ expr }) => {
    const declared = declaredMetrics();
    const used = metricsIn(expr);
    expect(used).not.toHaveLength(0);
    expect(used.filter((name) => !declared.has(name))).toStrictEqual([]);
  });

  test.each(alerts)('$alert of $path -> has a runbook, a severity and both texts', (alert) => {
    const { annotations, labels } = alert;
    // In the repository: no place is known to serve it. docs/monitoring.md says how to put a place of one's own before
    // it.
    expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert.alert}.md`);
    expect(readFileSync(join(root, annotations['runbook_url'] ?? ''), 'utf8')).toMatch(
      new RegExp(`^# ${alert.alert}\n\n[^#]+\n\n## What it means\n\n[^#]+\n\n## What to do\n`),
    );
    expect(['critical', 'warning', 'info']).toContain(labels['severity']);
    expect(Object.keys(annotations).toSorted()).toEqual(['description', 'runbook_url', 'summary']);
  });

  test('each runbook -> of an alert that there is', () => {
    const names = new Set(alerts.map(({ alert }) => `${alert}.md`));
    expect(readdirSync(runbooks).filter((name) => !names.has(name))).toStrictEqual([]);
  });

  test.each(appNames)('HoldfastNoLeader of %s -> asks for its lease and for no other', (name) => {
    const rules = alerts.filter(
      ({ alert, path }) => alert === 'HoldfastNoLeader' && path === `${name}/alerts.yaml`,
    );
    expect(rules).toHaveLength(1);
    const leases = [...(rules[0]?.expr ?? '').matchAll(/name="([^"]+)"/g)].map(([, lease]) => lease);
    expect(new Set(leases)).toEqual(new Set([`holdfast-${name}`]));
    expect(rules[0]?.expr).toContain(`absent(leader_election_master_status{name="holdfast-${name}"})`);
  });

  test.each(alerts)(
    '$alert of $path -> promtool tries a case in which it fires, and one in which it is quiet',
    (alert) => {
      const files = ruleTests.filter(
        ({ name, content }) =>
          name.split('.')[0] === alert.alert && content.rule_files[0]?.endsWith(`/monitoring/${alert.path}`),
      );
      expect(files).toHaveLength(1);
      const cases = (files[0]?.content.tests ?? []).map(({ promql_expr_test: tried }) =>
        tried.map(({ expr, exp_samples: expected }) => {
          expect(expr).toBe(`ALERTS{alertname="${alert.alert}",alertstate="firing"}`);
          return expected.length > 0;
        }),
      );
      expect(cases.some((fired) => fired.at(-1) === true || fired.includes(true))).toBe(true);
      expect(cases.some((fired) => fired.every((each) => !each))).toBe(true);
    },
  );

  test.each(ruleTests)(
    '$name -> its series are of metrics that are declared, with their labels',
    ({ content }) => {
      const declared = new Map(
        ['packages/runtime', ...appNames.map((name) => `apps/${name}`)]
          .flatMap((folder) => declaredIn(folder))
          .map(({ name, labels }) => [name, labels]),
      );
      for (const { series } of content.tests.flatMap(({ input_series: all }) => all)) {
        const [name = '', ...labels] = [...series.matchAll(/(\w+)(?:=|\{)/g)].map(([, word = '']) => word);
        const own = labels.filter((label) => !ofTargets.has(label)).toSorted();
        const ofMetric = (declared.get(name) ?? ['not declared']).filter((label) => !ofTargets.has(label));
        expect({ series, own }).toEqual({ series, own: ofMetric.toSorted() });
      }
    },
  );

  test.each([
    'reflector_objects_skipped_total',
    'informer_followed{name!~".+[.].+"} == 0',
    'log_lines_dropped_total',
  ])('%s -> there is an alert', (part) => {
    expect(alerts.filter(({ expr }) => expr.includes(part))).toHaveLength(1);
  });
});
