import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '@holdfast/control-plane';
import { loadAll } from 'js-yaml';
import { deploy, type Manifest } from './kustomize.ts';

/** The chart. */
export const chart = join(deploy, 'chart', 'holdfast');

/** Whether a helm is to be had, and if not, why. */
export const helm = findTool('helm');

/** What `helm template` makes of the chart, as release `storage`. Needs no API server. */
export async function template(options: {
  readonly namespace: string;
  readonly values?: object;
  /** A folder with another chart. */
  readonly of?: string;
}): Promise<readonly Manifest[]> {
  const { namespace, values = {}, of = chart } = options;
  if (!helm.found) {
    throw new Error(helm.reason);
  }
  const args = ['template', 'storage', of, `--namespace=${namespace}`, '--values=-'];
  const running = promisify(execFile)(helm.path, args, { maxBuffer: 2 ** 24 });
  running.child.stdin?.end(JSON.stringify(values));
  const { stdout } = await running;
  return (loadAll(stdout) as (Manifest | null)[]).filter((object) => object !== null);
}
