import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of `deploy/` that is made from others there, and kept beside them so that nobody needs a tool to use it. */
export interface RenderedManifest {
  /** Below `deploy/`. */
  readonly path: string;
  readonly text: string;
}

const made = '# Made by tools/control-plane/src/render-deploy.ts. Change what it is made from, and run that.';

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
