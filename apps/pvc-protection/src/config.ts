import { appCommand } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

/** What pvc-protection is told; it has no flags beyond the runtime's. */
export const command = appCommand({
  name: 'pvc-protection',
  version,
  description: 'keeps a deleted PersistentVolumeClaim until no pod uses it.',
  gates,
  flags: {},
});
