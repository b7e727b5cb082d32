import { appCommand } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';
import { workloadsFlag } from './workloads-flag.ts';

/** The command line of statefulset-pvc-retention: the runtime's flags, and `--workloads`. */
export const command = appCommand({
  name: 'statefulset-pvc-retention',
  version,
  description: 'deletes the claims of a StatefulSet with the set or on scale-down, as its policy says.',
  gates,
  flags: { workloads: workloadsFlag },
});
