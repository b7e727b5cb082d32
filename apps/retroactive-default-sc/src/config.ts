import { appCommand } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

/** What retroactive-default-sc is told; it has no flags beyond the runtime's. */
export const command = appCommand({
  name: 'retroactive-default-sc',
  version,
  description:
    'gives unbound PersistentVolumeClaims without a storage class the default one, as soon as there is one.',
  gates,
  flags: {},
});
