import { startControlPlane } from '@holdfast/testing';
import { connectToCluster, json } from '../cluster-api.ts';
import { kubernetesRelease } from '../kubernetes-release.ts';
import { median } from '../median.ts';
import { claim, claimsIn, namespace, namespaces, turnPatch } from './objects.ts';

/*
 * Starts and stops a control plane as the tests of a file do: in the process of the tests, again and again. The process is
 * new, so that the first start is that of a test file.
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
  /** Until it was stopped, with the scenario between. */
  readonly whole: number;
}

/** After the first; the real one takes seconds each time, whichever time it is. */
const laterRuns = { embedded: 20, real: 1 };

async function run(backend: 'embedded' | 'real'): Promise<Run> {
  const started = performance.now();
  const plane = await startControlPlane({
    backend,
    release: kubernetesRelease,
    // A deleted claim is gone at once: there is no controller that would let go of it.
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  const served = performance.now();
  await playScenario(plane.kubeconfig);
  await plane.stop();
  return { start: (served - started) / 1000, whole: (performance.now() - started) / 1000 };
}

/** A claim in a namespace of its own is made, patched and deleted, and a watch sees each of these. */
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
