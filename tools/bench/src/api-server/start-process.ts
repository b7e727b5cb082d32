import { startControlPlane } from '@holdfast/testing';
import { connectToCluster, json } from '../cluster-api.ts';
import { kubernetesRelease } from '../kubernetes-release.ts';
import { median } from '../median.ts';
import { claim, claimsIn, namespace, namespaces, turnPatch } from './objects.ts';

/*
 * Starts and stops a control plane as the tests of a file do: repeatedly, in the test process. The process is
 * new, so the first start is like that of a test file.
 */

export interface StartFigures {
  readonly firstStartSeconds: number;
  readonly startSeconds: number;
  readonly firstScenarioSeconds: number;
  readonly scenarioSeconds: number;
}

interface Run {
  /** Until it served. */
  readonly start: number;
  /** Until it was stopped, including the scenario. */
  readonly whole: number;
}

/** The number of runs after the first. The real control plane takes seconds each time, so one is enough. */
const laterRuns = { embedded: 20, real: 1 };

async function run(backend: 'embedded' | 'real'): Promise<Run> {
  const started = performance.now();
  const plane = await startControlPlane({
    backend,
    release: kubernetesRelease,
    // No controller would remove the finalizer, so a deleted claim must be gone at once.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  const served = performance.now();
  await playScenario(plane.kubeconfig);
  await plane.stop();
  return { start: (served - started) / 1000, whole: (performance.now() - started) / 1000 };
}

/**
 * Creates, patches and deletes a claim in a namespace of its own, while a watch sees each of these changes.
 */
async function playScenario(kubeconfig: string): Promise<void> {
  const api = connectToCluster(kubeconfig);
  try {
    await api.post(namespaces, namespace('shop'));
    const claims = claimsIn('shop');
    let sawAll = (): void => undefined;
    const all = new Promise<void>((resolve) => (sawAll = resolve));
    const watch = await api.watch(`${claims}?watch=true`, json, ({ type }) => {
      if (type === 'DELETED') {
        sawAll();
      }
    });
    await api.post(claims, claim('data'));
    await api.mergePatch(`${claims}/data`, turnPatch(1));
    await api.delete(`${claims}/data`);
    await Promise.race([all, watch.failed]);
    watch.close();
  } finally {
    await api.close();
  }
}

process.once('disconnect', () => process.exit());
const backend = process.argv[2] === 'real' ? 'real' : 'embedded';
const first = await run(backend);
const later: Run[] = [];
for (let count = 0; count < laterRuns[backend]; count++) {
  later.push(await run(backend));
}
const figures: StartFigures = {
  firstStartSeconds: first.start,
  startSeconds: median(later.map(({ start }) => start)) ?? first.start,
  firstScenarioSeconds: first.whole,
  scenarioSeconds: median(later.map(({ whole }) => whole)) ?? first.whole,
};
process.send?.(figures);
