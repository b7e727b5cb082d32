import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askForHelp } from './app-help.ts';
import { chartSchema, durationFlags } from './chart-schema.ts';

/**
 * A file of `deploy/` that is generated from other files there. It is committed, so that users need no tool.
 */
export interface RenderedManifest {
  /** The path below `deploy/`. */
  readonly path: string;
  readonly text: string;
}

const made = '# Made by tools/control-plane/src/render-deploy.ts. Change what it is made from, and run that.';
const driver =
  "# Put the image of your CSI driver's controller in place of example.com/csi-driver:latest, or take kustomize: docs/install.md.";

/** One file for each installation. */
const installations = [
  { folder: 'all', path: 'install.yaml', notes: [driver] },
  { folder: 'pvc-protection', path: 'pvc-protection/install.yaml' },
  { folder: 'retroactive-default-sc', path: 'retroactive-default-sc/install.yaml' },
  { folder: 'statefulset-pvc-retention', path: 'statefulset-pvc-retention/install.yaml' },
  {
    folder: 'pv-reclaim-honor/sidecar',
    path: 'pv-reclaim-honor/sidecar/install.yaml',
    notes: [driver],
  },
  { folder: 'pv-reclaim-honor/standalone', path: 'pv-reclaim-honor/standalone/install.yaml' },
] as const satisfies readonly { folder: string; path: string; notes?: readonly string[] }[];

/** Renders what is installed by `kubectl apply -f`. It uses kustomize, which is part of kubectl. */
export async function renderInstallations(
  deploy: string,
  kubectl: string,
): Promise<readonly RenderedManifest[]> {
  return Promise.all(
    installations.map(async (installation) => {
      const { folder, path } = installation;
      const { stdout } = await promisify(execFile)(kubectl, ['kustomize', join(deploy, folder)], {
        maxBuffer: 2 ** 24,
      });
      const notes = 'notes' in installation ? installation.notes : [];
      const text = [made, `# One-file form of deploy/${folder}.`, ...notes, stdout].join('\n');
      return { path, text };
    }),
  );
}

const controllers = [
  'pvc-protection',
  'retroactive-default-sc',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
] as const;

const chart = 'chart/holdfast';

/**
 * What the chart copies unchanged from the kustomize bases, because a chart cannot read files outside its
 * folder.
 */
const chartFiles: readonly (readonly [from: string, to: string])[] = [
  ['pvc-protection/role.yaml', 'files/roles/pvc-protection.yaml'],
  ['pvc-protection/claim-unused-condition/role.yaml', 'files/roles/pvc-protection-condition.yaml'],
  ['pvc-protection/terminating-claim-guard/role.yaml', 'files/roles/pvc-protection-guard.yaml'],
  ['pvc-protection/uninstall/role.yaml', 'files/roles/pvc-protection-uninstall.yaml'],
  ['retroactive-default-sc/role.yaml', 'files/roles/retroactive-default-sc.yaml'],
  ['statefulset-pvc-retention/role.yaml', 'files/roles/statefulset-pvc-retention.yaml'],
  ['pv-reclaim-honor/base/role.yaml', 'files/roles/pv-reclaim-honor.yaml'],
  ['pv-reclaim-honor/sidecar/secret-role.yaml', 'files/roles/pv-reclaim-honor-secret.yaml'],
  ['pv-reclaim-honor/uninstall/role.yaml', 'files/roles/pv-reclaim-honor-uninstall.yaml'],
  ...controllers.map(
    (name) => [`secure-metrics/${name}/role.yaml`, `files/roles/${name}-metrics.yaml`] as const,
  ),
  ['monitoring/alerts.yaml', 'files/alerts/holdfast.yaml'],
  ...controllers.map((name) => [`monitoring/${name}/alerts.yaml`, `files/alerts/${name}.yaml`] as const),
  ...controllers.map(
    (name) =>
      [
        `monitoring/prometheus-operator/${name}/service-monitor.yaml`,
        `files/service-monitors/${name}.yaml`,
      ] as const,
  ),
  ...[...controllers, 'deletion-protection'].map(
    (name) => [`policies/${name}/policy.yaml`, `files/policies/${name}.yaml`] as const,
  ),
  ...controllers.map((name) => [`monitoring/${name}/dashboard.json`, `dashboards/${name}.json`] as const),
];

export async function renderChartFiles(deploy: string): Promise<readonly RenderedManifest[]> {
  return Promise.all(
    chartFiles
      // A controller without a dashboard has none in the chart.
      .filter(([from]) => existsSync(join(deploy, from)))
      .map(async ([from, to]) => {
        const text = await readFile(join(deploy, from), 'utf8');
        const head = from.endsWith('.yaml') ? `${made}\n# A copy of deploy/${from}.\n` : '';
        return { path: `${chart}/${to}`, text: `${head}${text}` };
      }),
  );
}

/**
 * Renders what the chart has to know about the apps' command lines, from the flags and gates that the apps
 * print.
 */
export async function renderChartFlags(root: string): Promise<readonly RenderedManifest[]> {
  const helps = await askForHelp(root, {
    pvcProtection: 'pvc-protection',
    retroactiveDefaultSc: 'retroactive-default-sc',
    statefulsetPvcRetention: 'statefulset-pvc-retention',
    pvReclaimHonor: 'pv-reclaim-honor',
  });
  const durations = durationFlags(helps).map((name) => `- ${name}\n`);
  return [
    { path: `${chart}/values.schema.json`, text: `${JSON.stringify(chartSchema(helps), undefined, 2)}\n` },
    {
      path: `${chart}/files/duration-flags.yaml`,
      text: `${made}\n# The flags whose value is a duration.\n${durations.join('')}`,
    },
  ];
}

/**
 * Renders the alerts as PrometheusRules, because kustomize cannot put the text of a file into another file.
 */
export async function renderPrometheusRules(deploy: string): Promise<readonly RenderedManifest[]> {
  const rules = [
    { name: 'holdfast', from: 'monitoring/alerts.yaml', folder: 'common' },
    ...controllers.map((name) => ({ name, from: `monitoring/${name}/alerts.yaml`, folder: name })),
  ];
  return Promise.all(
    rules.map(async ({ name, from, folder }) => {
      const alerts = await readFile(join(deploy, from), 'utf8');
      const groups = alerts.slice(alerts.search(/^groups:/m));
      const indented = groups.replaceAll(/^(?=.)/gm, '  ');
      const text = `${made}
# The rules of ../../${from.slice('monitoring/'.length)} for the Prometheus operator.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/part-of: holdfast
spec:
${indented}`;
      return { path: `monitoring/prometheus-operator/${folder}/prometheus-rule.yaml`, text };
    }),
  );
}
