import { hangingDriver } from './hanging-driver.ts';
import { hostPath } from './host-path.ts';
import { sharedHandles } from './shared-handles.ts';
import type { Trial } from './trial.ts';
import { uninstall } from './uninstall.ts';

/** A new trial is a file beside these and a line here. */
export const trials: readonly Trial[] = [hangingDriver, hostPath, sharedHandles, uninstall];
