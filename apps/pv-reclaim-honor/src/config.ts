import { finalizers } from '@holdfast/core';
import {
  appCommand,
  choiceFlag,
  durationFlag,
  optionalTextFlag,
  textFlag,
  type Flag,
} from '@holdfast/runtime';
import { migratablePlugins } from './csi-migration.ts';
import { hostPathFinalizer, isOfOthers } from './decide/held-by.ts';
import { undoFinalizer } from './decide/undo-window.ts';
import type { Mode } from './decide/snapshot.ts';
import { gates } from './gates.ts';
import { version } from './version.ts';

/** The flags of pv-reclaim-honor, in addition to the runtime's. */
export const command = appCommand({
  name: 'pv-reclaim-honor',
  domain: 'holdfast.dev',
  suite: 'holdfast',
  version,
  description:
    'deletes the storage of volumes with reclaim policy Delete, whether the claim or the volume is deleted first.',
  gates,
  flags: {
    mode: choiceFlag<Mode>(
      {
        description:
          'guard: hold CSI volumes by a finalizer, and leave deleting to a provisioner; reclaim: also delete them, and hold and delete hostPath volumes.',
        placeholder: 'MODE',
        default: 'reclaim',
      },
      ['guard', 'reclaim'],
    ),
    csiAddress: listFlag(
      {
        description:
          'Sockets of CSI drivers, separated by commas, for example unix:///csi/csi.sock. Default: none, so only in-tree volumes are handled.',
        placeholder: 'ADDRESS,...',
      },
      'sockets separated by commas, each as unix:///PATH or /PATH',
      (address) => /^(unix:\/\/)?\/[^/]/.test(address),
      (address) => (address.startsWith('/') ? `unix://${address}` : address),
    ),
    csiTimeout: durationFlag({
      description: 'Longest time that a call to a CSI driver may take.',
      placeholder: 'DURATION',
      default: '15s',
    }),
    csiFinalizer: finalizerFlag({
      description:
        'Finalizer of volumes that a CSI driver deletes. Set another one than the default beside a csi-provisioner that removes the default. When you change it, the new one replaces the old one.',
      placeholder: 'NAME',
      default: finalizers.externalProvisioner,
    }),
    migratedPlugins: listFlag(
      {
        description:
          'In-tree plugins whose volumes their CSI drivers delete, separated by commas, for example kubernetes.io/aws-ebs. Default: none; volumes with the annotation count in any case.',
        placeholder: 'NAME,...',
      },
      `names separated by commas, of ${migratablePlugins.join(', ')}`,
      (plugin) => migratablePlugins.includes(plugin),
      (plugin) => plugin,
    ),
    hostPathRoot: folderFlag({
      description: 'Delete hostPath volumes only below this folder; none: leave hostPath volumes alone.',
      placeholder: 'PATH',
      default: '/tmp/hostpath_pv',
    }),
  },
});

type Text = Parameters<typeof textFlag>[0];

/** A flag for texts separated by commas; its value is undefined if the flag is not given. */
function listFlag(
  text: Omit<Text, 'default'>,
  expected: string,
  fits: (item: string) => boolean,
  read: (item: string) => string,
): Flag<readonly string[] | undefined> {
  const { schema, ...rest } = optionalTextFlag(text);
  const items = (value: string | undefined): readonly string[] =>
    (value ?? '').split(',').map((item) => item.trim());
  return {
    ...rest,
    schema: schema
      .refine((value) => items(value).every(fits), `expected ${expected}`)
      .transform((value) => [...new Set(items(value).map(read))]),
  };
}

/**
 * A flag for a finalizer that the API server accepts, `domain/name`, and that nobody uses for another
 * purpose: the app takes this finalizer off volumes that are retained, and off those that are reclaimed.
 */
function finalizerFlag(text: Text): Flag<string> {
  const { schema, ...rest } = textFlag(text);
  const isQualified = (value: string): boolean =>
    /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?\/[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/.test(value);
  const isFree = (value: string): boolean =>
    !isOfOthers(value) && ![finalizers.pvController, undoFinalizer, hostPathFinalizer].includes(value);
  return {
    ...rest,
    schema: schema
      .refine(isQualified, 'expected a finalizer of the form DOMAIN/NAME')
      .refine(
        isFree,
        `expected a finalizer that nobody else uses: ${finalizers.externalProvisioner}, or one of a domain of your own`,
      ),
  };
}

/** A flag for an absolute path; its value is undefined for `none`. */
function folderFlag(text: Text): Flag<string | undefined> {
  const { schema, ...rest } = textFlag(text);
  const isFolder = (value: string): boolean => /^\/+[^/]/.test(value) && !value.split('/').includes('..');
  return {
    ...rest,
    schema: schema
      .refine(
        (value) => value === 'none' || isFolder(value),
        'expected an absolute path without "..", and not the whole file system, or none',
      )
      .transform((value) => (value === 'none' ? undefined : value)),
  };
}
