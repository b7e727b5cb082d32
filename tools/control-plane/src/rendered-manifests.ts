import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file of `deploy/` that is made from others there, and kept beside them so that nobody needs a tool to use it. */
export interface RenderedManifest {
  /** Below `deploy/`. */
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

/** What is installed by `kubectl apply -f`, as kustomize makes it, which is part of kubectl. */
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

/** The alerts as PrometheusRules: kustomize has no way to put the text of a file into another. */
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
