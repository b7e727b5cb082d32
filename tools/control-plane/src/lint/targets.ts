import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** Something that is applied to a cluster as a whole. */
export interface Target {
  readonly name: string;
  /** Returns its objects as YAML. */
  render(): Promise<string>;
}

/** Components that can be combined, on top of `all`. */
const combinations: Readonly<Record<string, readonly string[]>> = {
  'with all components': [
    'pvc-protection/claim-unused-condition',
    'pvc-protection/terminating-claim-guard',
    'monitoring',
    'monitoring/prometheus-operator',
    'secure-metrics',
  ],
  'for one namespace': ['pvc-protection/claim-unused-condition', 'one-namespace'],
};

/**
 * Returns each kustomization of `deploy/`, and `all` with components, for which it writes overlays into
 * `scratch`.
 */
export async function kustomizeTargets(
  deploy: string,
  kubectl: string,
  scratch: string,
): Promise<readonly Target[]> {
  const target = (name: string, folder: string): Target => ({
    name,
    render: () => output(kubectl, ['kustomize', folder]),
  });
  const files = globSync('**/kustomization.yaml', { cwd: deploy }).toSorted();
  const kinds = await Promise.all(files.map((file) => readFile(join(deploy, file), 'utf8')));
  const folders = files
    .filter((_, index) => /^kind: Kustomization$/m.test(kinds[index] ?? ''))
    .map((file) => dirname(file));
  const overlays = await Promise.all(
    Object.entries(combinations).map(async ([name, components], index) => {
      const folder = join(scratch, `overlay-${index}`);
      await mkdir(folder);
      const there = (path: string): string => relative(folder, join(deploy, path));
      const kustomization = {
        apiVersion: 'kustomize.config.k8s.io/v1beta1',
        kind: 'Kustomization',
        // Without this, what a component adds would be in the namespace default.
        namespace: 'holdfast-system',
        resources: [there('all')],
        components: components.map(there),
      };
      // JSON is valid YAML.
      await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
      return target(`deploy/all ${name}`, folder);
    }),
  );
  return [...folders.map((folder) => target(`deploy/${folder}`, join(deploy, folder))), ...overlays];
}

/**
 * Returns the sets of values with which the chart is checked: the defaults, and each file in its folder `ci`.
 */
export function chartValues(chart: string): readonly (readonly [name: string, args: readonly string[]])[] {
  return [
    ['chart', []],
    ...globSync('ci/*-values.yaml', { cwd: chart })
      .toSorted()
      .map((file) => [`chart, ${basename(file)}`, ['--values', join(chart, file)]] as const),
  ];
}

export function chartTargets(chart: string, helm: string): readonly Target[] {
  return chartValues(chart).map(([name, args]) => ({
    name,
    render: () => renderChart(chart, helm, args),
  }));
}

/** Returns what `helm install` would send, by `helm template`. */
function renderChart(chart: string, helm: string, args: readonly string[]): Promise<string> {
  return output(helm, ['template', 'storage', chart, '--namespace', 'holdfast-system', ...args]);
}

async function output(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 26 });
  return stdout;
}
