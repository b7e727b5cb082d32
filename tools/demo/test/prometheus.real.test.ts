import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findTool } from '@holdfast/control-plane';
import { eventually } from '@holdfast/scenario';
import { alerts } from './alerts.ts';
import { appNames } from './four-apps.ts';
import { deploy } from './kustomize.ts';
import { startMonitoredCluster, type MonitoredCluster } from './monitored-cluster.ts';
import { startPrometheus, type Prometheus } from './prometheus.ts';

/*
 * Alerts and dashboards by a real Prometheus: the time that a rule takes is shown by promtool with series of the same
 * names and labels; that the names and labels are those of the apps, and that an alert fires when it should, by the
 * apps themselves.
 */

const monitoring = join(deploy, 'monitoring');
const ruleFiles = ['alerts.yaml', ...appNames.map((name) => `${name}/alerts.yaml`)];
const promtool = findTool('promtool');
const prometheusProgram = findTool('prometheus');

describe('alerts, by promtool', () => {
  if (!promtool.found) {
    test.skip(`not checked: ${promtool.reason}`, () => undefined);
    return;
  }
  const run = promisify(execFile);

  test('each rule file -> without an error, and without what promtool advises against', async () => {
    const files = ruleFiles.map((path) => join(monitoring, path));
    const { stdout } = await run(promtool.path, ['check', 'rules', '--lint=all', '--lint-fatal', ...files]);
    expect(stdout.match(/SUCCESS/g)).toHaveLength(ruleFiles.length);
  });

  test.each(globSync('alert-rules/*.yaml', { cwd: import.meta.dirname }).toSorted())(
    '%s -> fires when it should, and is quiet when not',
    async (file) => {
      const { stdout } = await run(promtool.path, ['test', 'rules', join(import.meta.dirname, file)]).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toContain('SUCCESS');
    },
  );
});

/** An alert as Prometheus has it. */
interface ActiveAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

describe('alerts and dashboards, by Prometheus', () => {
  if (!prometheusProgram.found) {
    test.skip(`not tried: ${prometheusProgram.reason}`, () => undefined);
    return;
  }
  let folder: string;
  let cluster: MonitoredCluster;
  let prometheus: Prometheus;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-prometheus-')));
    cluster = await startMonitoredCluster(folder);
    const soon = await Promise.all(ruleFiles.map((path) => shortened(path)));
    prometheus = await startPrometheus({
      program: prometheusProgram.path,
      folder: join(folder, 'prometheus'),
      ruleFiles: soon,
      scrapeConfigs: cluster.scrapeConfigs,
    });
  }, 90_000);

  afterAll(async () => {
    await prometheus.stop();
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  /** The rules with two seconds in place of minutes. */
  const shortened = async (path: string): Promise<string> => {
    const text = await readFile(join(monitoring, path), 'utf8');
    const file = join(folder, path.replace('/', '-'));
    await writeFile(file, text.replaceAll(/^( +)for: \w+$/gm, '$1for: 2s'));
    return file;
  };

  const active = async (): Promise<readonly ActiveAlert[]> =>
    (await prometheus.ask<{ readonly alerts: readonly ActiveAlert[] }>('alerts')).alerts;

  /**
   * Each metric of an expression is declared by a process that is scraped, and has the labels by which it is chosen and
   * summed.
   */
  const expectExported = async (expr: string): Promise<void> => {
    const declared = await prometheus.ask<Readonly<Record<string, unknown>>>('metadata');
    const tree = await prometheus.ask<PromQl>('parse_query', { query: expr });
    for (const { name, labels } of selectorsOf(tree)) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '');
      expect({ expr, name, isDeclared: name in declared || family in declared }).toEqual({
        expr,
        name,
        isDeclared: true,
      });
      const series = await prometheus.ask<readonly Readonly<Record<string, string>>[]>('series', {
        'match[]': name,
      });
      const known = new Set([...series.flatMap((each) => Object.keys(each)), 'exported_namespace']);
      expect({
        expr,
        unknown: series.length === 0 ? [] : labels.filter((label) => !known.has(label)),
      }).toEqual({
        expr,
        unknown: [],
      });
    }
  };

  /** Resolves when every group of rules was evaluated at that time or later. */
  const evaluatedSince = (time: number): Promise<void> =>
    eventually('the rules were evaluated', async () => {
      const { groups } = await prometheus.ask<{
        readonly groups: readonly { readonly lastEvaluation: string }[];
      }>('rules');
      return groups.every(({ lastEvaluation }) => Date.parse(lastEvaluation) >= time);
    });

  test('plain, and with --metrics-secure by token -> each process is scraped', async () => {
    await eventually(
      'all are up',
      async () => {
        const up = await prometheus.query('up');
        return up.length === cluster.scrapeConfigs.length && up.every(({ value }) => value === 1);
      },
      45_000,
      200,
    );
  }, 60_000);

  test('everyday work -> no alert fires', async () => {
    // Before the first scrapes nobody seemed to lead.
    await eventually('no alert is active', async () => (await active()).length === 0);
    const quiet = Date.now();
    await cluster.everydayWork();
    await evaluatedSince(Date.now() + 4_000);
    const milliseconds = String(Date.now() - quiet);
    expect(
      await prometheus.query(`count_over_time(ALERTS{alertstate="firing"}[${milliseconds}ms])`),
    ).toStrictEqual([]);
  }, 60_000);

  describe('in trouble', () => {
    beforeAll(() => cluster.trouble(), 60_000);

    test.each([
      ['HoldfastWritesFailing', { operation: 'add' }, /cannot write \(add\)/],
      ['HoldfastWatchFailing', { name: 'storageclasses' }, /list or watch storageclasses/],
      [
        'HoldfastResourceNotFollowed',
        { name: 'pods', exported_namespace: 'team-b' },
        /follow pods in team-b/,
      ],
      ['HoldfastResourceNotFollowed', { name: 'pods', namespace: 'team-b' }, /follow pods\./],
      ['HoldfastQueueStuck', { name: 'pvc-protection' }, /queue pvc-protection of/],
      ['HoldfastObjectsSkipped', { name: 'clonesets.apps.example.com' }, /objects of clonesets/],
      ['HoldfastClaimHeldLong', { namespace: 'team-a' }, /^Claims in team-a were/],
      ['HoldfastClaimHeldLong', { exported_namespace: 'team-a' }, /^Claims in team-a were/],
      ['HoldfastStorageClassRefused', {}, /refuses to assign/],
      ['HoldfastVolumeDeletionFailing', { plugin_name: 'csi.holdfast.dev' }, /csi\.holdfast\.dev cannot/],
      ['HoldfastVolumeMayLeak', {}, /left behind/],
      ['HoldfastFinalizerFight', {}, /keeps removing pv-reclaim-honor's finalizers/],
      [
        'HoldfastWorkloadKindNotFollowed',
        { kind: 'apps.example.com/v1/CloneSet' },
        /apps\.example\.com\/v1\/CloneSet/,
      ],
    ])(
      '%s %j -> fires',
      async (name, labels, summary) => {
        let found: ActiveAlert | undefined;
        await eventually(
          `${name} fires`,
          async () => {
            found = (await active()).find(
              (alert) =>
                alert.state === 'firing' &&
                alert.labels['alertname'] === name &&
                Object.entries(labels).every(([label, value]) => alert.labels[label] === value),
            );
            return found !== undefined;
          },
          60_000,
          200,
        );
        expect(found?.annotations['summary']).toMatch(summary);
        expect(JSON.stringify(found?.annotations)).not.toMatch(/<no value>|<error/);
      },
      70_000,
    );
  });

  test.each(appNames)(
    'dashboard of %s -> each query is answered, and each metric and label is exported',
    async (name) => {
      const dashboard = JSON.parse(
        await readFile(join(monitoring, name, 'dashboard.json'), 'utf8'),
      ) as Dashboard;
      const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      expect(expressions.length).toBeGreaterThan(20);
      for (const written of expressions) {
        const expr = withVariables(written, name);
        await prometheus.query(expr);
        await expectExported(expr);
      }
    },
    60_000,
  );

  test.each(alerts)('$alert of $path -> each metric and label is exported', async ({ expr }) => {
    await expectExported(expr);
  });

  test('apps that are gone -> each has no leader', async () => {
    await cluster.stopApps();
    await eventually(
      'HoldfastNoLeader fires for each',
      async () => {
        const names = (await active())
          .filter(({ state, labels }) => state === 'firing' && labels['alertname'] === 'HoldfastNoLeader')
          .map(({ labels }) => labels['name']);
        return appNames.every((name) => names.includes(`holdfast-${name}`));
      },
      30_000,
      200,
    );
  }, 60_000);
});

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

/** A node of a parsed expression, as far as it is looked at. */
interface PromQl {
  readonly type: string;
  readonly name?: string;
  readonly matchers?: readonly { readonly name: string }[];
  readonly grouping?: readonly string[] | null;
  readonly expr?: PromQl | null;
  readonly lhs?: PromQl | null;
  readonly rhs?: PromQl | null;
  readonly args?: readonly PromQl[];
}

/** The metrics of an expression, with the labels that it names of each. */
function selectorsOf(
  node: PromQl,
  grouping: readonly string[] = [],
): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  if (node.name !== undefined && node.matchers !== undefined) {
    const matched = node.matchers.map(({ name }) => name).filter((label) => label !== '__name__');
    return [{ name: node.name, labels: [...matched, ...grouping] }];
  }
  const inner = [...grouping, ...(node.grouping ?? [])];
  const parts = [node.expr, node.lhs, node.rhs, ...(node.args ?? [])];
  return parts.flatMap((part) => (part === null || part === undefined ? [] : selectorsOf(part, inner)));
}

/** As Grafana fills them in, with everything chosen. */
function withVariables(expr: string, app: string): string {
  return expr
    .replaceAll('$job', `${app}.*`)
    .replaceAll('$instance', '.+')
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$__range', '1h');
}
