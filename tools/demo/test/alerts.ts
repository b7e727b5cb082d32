import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { deploy } from './kustomize.ts';

/** A rule of Prometheus. */
export interface Alert {
  /** Its file, below `deploy/monitoring/`. */
  readonly path: string;
  readonly alert: string;
  readonly expr: string;
  /** For how long it must hold before the alert fires, for example `10m`; undefined: at once. */
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** All alerts that are shipped. */
export const alerts: readonly Alert[] = ['alerts.yaml', ...globSync('*/alerts.yaml', { cwd: folder() })]
  .toSorted()
  .flatMap((path) => {
    const { groups } = load(readFileSync(join(folder(), path), 'utf8')) as {
      readonly groups: readonly { readonly rules: readonly Omit<Alert, 'path'>[] }[];
    };
    return groups.flatMap(({ rules }) => rules.map((rule) => ({ path, ...rule })));
  });

function folder(): string {
  return join(deploy, 'monitoring');
}

/** The names of the metrics that an expression uses. */
export function metricsIn(expr: string): readonly string[] {
  const withoutLabels = expr.replaceAll(/\{[^}]*\}|\b(?:by|on) \([^)]*\)/g, '');
  // What a parenthesis follows is a function or a modifier such as group_left.
  return [...withoutLabels.matchAll(/\b[a-z]+(?:_[a-z]+)+\b(?! ?\()/g)].map(([name]) => name);
}
