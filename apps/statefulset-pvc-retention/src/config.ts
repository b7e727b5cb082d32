import { appCommand, switchFlag } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';
import { workloadsFlag } from './workloads-flag.ts';

/** The command line of statefulset-pvc-retention: the runtime's flags, `--workloads` and `--yield-to-stock-controller`. */
export const command = appCommand({
  name: 'statefulset-pvc-retention',
  domain: 'holdfast.dev',
  suite: 'holdfast',
  version,
  description: 'deletes the claims of a StatefulSet with the set or on scale-down, as its policy says.',
  gates,
  flags: {
    workloads: workloadsFlag,
    yieldToStockController: switchFlag({
      description:
        'Let a stock StatefulSet controller that retains claims go first. False: act at once, where the cluster is known to have none.',
      default: 'true',
    }),
  },
});
