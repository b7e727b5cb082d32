import Sequencer from '@jest/test-sequencer';

/**
 * Files that take ten seconds and more, most of it waiting for processes, leases or a great many stories. Begun last, one of them would keep the
 * run waiting with a single worker at work. By itself jest goes by the times of the last run, and in a new checkout by size.
 */
const longest = [
  'apps/statefulset-pvc-retention/test/faults.test.ts',
  'packages/runtime/test/process/uninstall.test.ts',
  'apps/pv-reclaim-honor/test/undo-window.scenario.test.ts',
  'packages/runtime/test/examples/stranger.test.ts',
  'apps/retroactive-default-sc/test/faults.test.ts',
  'tools/demo/test/demo.test.ts',
  'apps/pvc-protection/test/permissions.scenario.test.ts',
  'packages/runtime/test/cache/faults.test.ts',
  'tools/scenario/test/shipped-bundles.test.ts',
];

/** Begins with the longest; for the others, jest's own order. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = longest.findIndex((each) => path.endsWith(each));
      return found === -1 ? longest.length : found;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}
