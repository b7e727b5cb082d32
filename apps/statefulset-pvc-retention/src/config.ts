import { appCommand, switchFlag } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';
import { workloadsFlag } from './workloads-flag.ts';

/**
 * The command line of statefulset-pvc-retention: the runtime's flags, `--workloads` and
 * `--yield-to-stock-controller`.
 */
export const command = appCommand({
  name: 'statefulset-pvc-retention',
  domain: 'holdfast.dev',
  suite: 'holdfast',
  version,
  description:
    'deletes the claims of a StatefulSet when the set is deleted or scaled down, as its policy says.',
  gates,
  flags: {
    workloads: workloadsFlag,
    yieldToStockController: switchFlag({
      description:
        'Let a stock StatefulSet controller that applies the policies act first; false: act at once, for clusters that are known to have none.',
      default: 'true',
    }),
  },
});
