import { hangingDriver } from './hanging-driver.ts';
import { hostPath } from './host-path.ts';
import { sharedHandles } from './shared-handles.ts';
import type { Trial } from './trial.ts';
import { uninstall } from './uninstall.ts';

/** All trials. To add one, put a file next to these and a line here. */
export const trials: readonly Trial[] = [hangingDriver, hostPath, sharedHandles, uninstall];
