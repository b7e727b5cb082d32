import Sequencer from '@jest/test-sequencer';

/**
 * Files that take seconds and spend nearly all of them waiting: for leases, for processes that end, for a
 * `Retry-After`. If they all began at the same time, they would leave the cores idle; if one of them began
 * last, the run would have to wait for it with a single worker busy.
 */
const waiting = [
  'packages/runtime/test/process/uninstall.test.ts',
  'apps/pv-reclaim-honor/test/undo-window.scenario.test.ts',
  'apps/pv-reclaim-honor/test/remove-folder.test.ts',
  'packages/runtime/test/testing/test-operator.test.ts',
  'tools/scenario/test/frozen-leader.test.ts',
  'apps/pvc-protection/test/uninstall.test.ts',
  'packages/runtime/test/cache/faults.test.ts',
  'apps/pv-reclaim-honor/test/shared-storage.test.ts',
  'apps/pv-reclaim-honor/test/host-path-layouts.test.ts',
  'tools/mutate/test/play-mutants.test.ts',
  'packages/runtime/test/process/last-resort.test.ts',
];

/** Files that keep a core busy for seconds. Each of them begins together with one that waits. */
const working = [
  'apps/statefulset-pvc-retention/test/faults.test.ts',
  'packages/testing/test/perturbation/perturbation.test.ts',
  'apps/retroactive-default-sc/test/faults.test.ts',
  'apps/statefulset-pvc-retention/test/undo-window-plan.test.ts',
  'packages/testing/test/control-plane-command.test.ts',
  'apps/pvc-protection/test/faults.test.ts',
  'tools/scenario/test/secrets.test.ts',
  'apps/pv-reclaim-honor/test/unreadable-volume.test.ts',
  'apps/statefulset-pvc-retention/test/kep-test-plan.test.ts',
  'apps/pv-reclaim-honor/test/hanging-driver.test.ts',
];

const longestEmbedded = [
  'packages/runtime/test/examples/takeover.thorough.test.ts',
  'packages/runtime/test/examples/stranger.thorough.test.ts',
  ...waiting.flatMap((file, index) => [file, working[index]]),
];

/**
 * Files that take half a minute or more on real control planes, where the stock controllers' time cannot be
 * sped up.
 */
const longestReal = [
  'packages/runtime/test/examples/examples.real.test.ts',
  'tools/demo/test/life/kustomize.real.test.ts',
  'tools/demo/test/life/one-file.real.test.ts',
  'tools/demo/test/life/helm.real.test.ts',
  'tools/demo/test/rights/rights.real.test.ts',
  'tools/demo/test/deploy.real.test.ts',
  'packages/testing/test/controllers/stateful-set-controller.scenario.test.ts',
  'apps/statefulset-pvc-retention/test/kep-test-plan.real.test.ts',
  'packages/testing/test/comparison/differential.real.test.ts',
  'tools/images/test/images.real.test.ts',
  'tools/demo/test/docs.real.test.ts',
  'packages/testing/test/controllers/persistent-volumes.scenario.test.ts',
  'packages/testing/test/controllers/job-controller.scenario.test.ts',
  'packages/testing/test/controllers/deployment-controller.scenario.test.ts',
  'packages/testing/test/controllers/replica-set-controller.scenario.test.ts',
  'apps/pv-reclaim-honor/test/undo-window.scenario.test.ts',
  'tools/kubectl-holdfast/test/plan.scenario.test.ts',
  'tools/demo/test/prometheus.real.test.ts',
  'apps/pv-reclaim-honor/test/reclaim.real.test.ts',
  'apps/statefulset-pvc-retention/test/undo-window-plan.real.test.ts',
  'packages/testing/test/controllers/namespaces.scenario.test.ts',
  'packages/testing/test/controllers/garbage-collector.scenario.test.ts',
  'apps/statefulset-pvc-retention/test/gives-way.real.test.ts',
  'packages/testing/test/real/real-control-plane.real.test.ts',
  'tools/demo/test/together.real.test.ts',
  'tools/demo/test/chart.real.test.ts',
  'apps/pv-reclaim-honor/test/reclaim.scenario.test.ts',
  'apps/pvc-protection/test/permissions.scenario.test.ts',
  'apps/pv-reclaim-honor/test/guard.real.test.ts',
  'tools/demo/test/policies.real.test.ts',
  'apps/retroactive-default-sc/test/default-class.scenario.test.ts',
  'apps/pv-reclaim-honor/test/access.real.test.ts',
  'apps/pv-reclaim-honor/test/restored-etcd.real.test.ts',
  'apps/statefulset-pvc-retention/test/kinds-not-served.real.test.ts',
  'tools/demo/test/demo.real.test.ts',
  'apps/pvc-protection/test/crash.real.test.ts',
];

const longest = process.env.HOLDFAST_CONTROL_PLANE === 'real' ? longestReal : longestEmbedded;

/**
 * Begins with these files. The others follow in jest's own order: by their times in the last run, or by size
 * in a new checkout.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = longest.findIndex((each) => path.endsWith(each));
      return found === -1 ? longest.length : found;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
