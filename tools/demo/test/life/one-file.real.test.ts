import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { appNames } from '../four-apps.ts';
import { deploy } from '../kustomize.ts';
import { removeJobs, runUninstallJob, type Place, type RunJob, type State } from './form.ts';
import { tellLife } from './life.ts';

tellLife({
  form: 'one file',
  apply: async (place, state) => {
    await place.kubectl(['apply', '--validate=strict', '-f', '-'], oneFile(place, state));
  },
  ofDriver: '',
  hasGate: false,
  surplus: [],
  leave: leaveByPlugin,
  remove: async (place) => {
    await removeJobs(place, ['pv-reclaim-honor']);
    await place.kubectl(['delete', '--ignore-not-found', '-f', '-'], oneFile(place, 'older'));
  },
});

/**
 * `kubectl holdfast uninstall`, which makes the Jobs itself, one after the other, each once the one before it has
 * completed. To pv-reclaim-honor, in one pod with a CSI driver, it says that this is done by hand.
 */
async function leaveByPlugin(place: Place, run: RunJob): Promise<void> {
  const { namespace, kubectl, kubeconfig } = place;
  const main = join(import.meta.dirname, '../../../kubectl-holdfast/src/main.ts');
  const over = new AbortController();
  const uninstalling = promisify(execFile)(
    process.execPath,
    [
      ...['--conditions=@holdfast/source', main, 'uninstall', '--yes', '--output=json'],
      ...[`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`],
    ],
    { signal: over.signal },
  ).catch((error: unknown) => error as { readonly code: number; readonly stdout: string });
  try {
    await playJobs(place, run);
    const { stdout, ...end } = await uninstalling;
    const { items } = JSON.parse(stdout) as {
      readonly items: readonly { readonly app: string; readonly result: string }[];
    };
    const results = items.map(({ app, result }) => [app, result]).toSorted();
    expect({ ...end, results }).toMatchObject({
      code: 1,
      results: appNames.map((app) => [app, app === 'pv-reclaim-honor' ? 'byHand' : 'left']).toSorted(),
    });
  } finally {
    over.abort();
  }
  await kubectl(['scale', 'deployment', 'pv-reclaim-honor', `--namespace=${namespace}`, '--replicas=0']);
  await runUninstallJob(place, 'pv-reclaim-honor', run);
}

/** Does what nodes would do with the pods of the plugin's Jobs. */
async function playJobs({ namespace, kubectl }: Place, run: RunJob): Promise<void> {
  for (const app of ['pvc-protection', 'statefulset-pvc-retention'] as const) {
    const inNamespace = `--namespace=${namespace}`;
    const selector = `--selector=batch.kubernetes.io/job-name=${app}-uninstall`;
    let pod = '';
    await eventually(
      `the Job of ${app} has a pod`,
      async () =>
        (pod = (await kubectl(['get', 'pods', inNamespace, selector, '--output=name'])).trim()) !== '',
      30_000,
    );
    await run(app, app);
    const status = JSON.stringify({ status: { phase: 'Succeeded' } });
    await kubectl(['patch', pod, inNamespace, '--subresource=status', '--type=merge', `--patch=${status}`]);
  }
}

function oneFile({ namespace }: Place, state: State): string {
  const text = readFileSync(join(deploy, 'install.yaml'), 'utf8').replaceAll('holdfast-system', namespace);
  return state === 'older' ? text.replaceAll(/(image: holdfast\/[a-z-]+:).*/g, '$10.0.9') : text;
}
