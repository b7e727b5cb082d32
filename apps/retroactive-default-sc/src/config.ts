import { appCommand } from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

/** The command line of retroactive-default-sc; it only has the runtime's flags. */
export const command = appCommand({
  name: 'retroactive-default-sc',
  domain: 'holdfast.dev',
  suite: 'holdfast',
  version,
  description:
    'assigns the default storage class to unbound PersistentVolumeClaims without a class, as soon as there is one.',
  gates,
  flags: {},
});
