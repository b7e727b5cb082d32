import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { alerts, metricsIn } from './alerts.ts';
import { appNames } from './four-apps.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runbooks = join(root, 'docs', 'runbooks');

/** The names of all metrics that the sources declare. deploy.real.test.ts looks at what the processes export. */
function declaredMetrics(): ReadonlySet<string> {
  const folders = ['packages/runtime', ...appNames.map((name) => `apps/${name}`)];
  const texts = folders.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, folder, 'src', path), 'utf8')),
  );
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => name ?? '')),
  );
}

describe('alerts of deploy/monitoring', () => {
  test.each(alerts)('$alert of $path -> each metric is declared by an app', ({ expr }) => {
    const declared = declaredMetrics();
    const used = metricsIn(expr);
    expect(used).not.toHaveLength(0);
    expect(used.filter((name) => !declared.has(name))).toEqual([]);
  });

  test.each(alerts)('$alert of $path -> has a runbook, a severity and both texts', (alert) => {
    const { annotations, labels } = alert;
    expect(annotations['runbook_url']).toBe(`https://holdfast.dev/runbooks/${alert.alert}`);
    expect(readFileSync(join(runbooks, `${alert.alert}.md`), 'utf8')).toMatch(
      new RegExp(`^# ${alert.alert}\n\n[^#]+\n\n## What it means\n\n[^#]+\n\n## What to do\n`),
    );
    expect(['critical', 'warning', 'info']).toContain(labels['severity']);
    expect(Object.keys(annotations).toSorted()).toEqual(['description', 'runbook_url', 'summary']);
  });

  test('each runbook -> of an alert that there is', () => {
    const names = new Set(alerts.map(({ alert }) => `${alert}.md`));
    expect(readdirSync(runbooks).filter((name) => !names.has(name))).toEqual([]);
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

  test.each(['reflector_objects_skipped_total', 'log_lines_dropped_total'])(
    '%s -> there is an alert',
    (name) => {
      expect(alerts.filter(({ expr }) => metricsIn(expr).includes(name))).toHaveLength(1);
    },
  );
});
