import { dashboards } from './dashboards.ts';
import { toGrafana } from './grafana.ts';

/** A file in `deploy/monitoring/` that is generated from the dashboards. */
export interface RenderedDashboard {
  /** The path below `deploy/monitoring/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * Renders each dashboard twice: as a file to import, and in a ConfigMap, because kustomize cannot put a file
 * from outside its folder into one.
 */
export function renderDashboards(): readonly RenderedDashboard[] {
  return dashboards.flatMap((plan) => {
    const { app } = plan;
    const json = `${JSON.stringify(toGrafana(plan), undefined, 2)}\n`;
    return [
      { path: `${app}/dashboard.json`, text: json },
      { path: `grafana/${app}/config-map.yaml`, text: toConfigMap(app, json) },
    ];
  });
}

function toConfigMap(app: string, json: string): string {
  return `# Made by tools/dashboards/src/main.ts. Change what it is made from, and run that.
# ../../${app}/dashboard.json for the sidecar of Grafana's Helm chart, which looks for the label grafana_dashboard.
apiVersion: v1
kind: ConfigMap
metadata:
  name: holdfast-${app}-dashboard
  labels:
    app.kubernetes.io/name: ${app}
    app.kubernetes.io/part-of: holdfast
    grafana_dashboard: '1'
  annotations:
    grafana_folder: Holdfast
data:
  holdfast-${app}.json: |
${json.replaceAll(/^(?=.)/gm, '    ')}`;
}
