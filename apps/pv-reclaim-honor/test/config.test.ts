import { expect, test } from '@jest/globals';
import { parseCommandLine, UsageError } from '@holdfast/runtime';
import { command } from '../src/config.ts';
import { csiFinalizer } from './objects.ts';

const parse = (...args: readonly string[]) => parseCommandLine(command, args, {});

test('no flags -> defaults, no socket and no migrated plugin', () => {
  const line = parse();
  expect(line).toMatchObject({
    kind: 'run',
    values: { mode: 'reclaim', csiTimeout: 15_000, csiFinalizer, hostPathRoot: '/tmp/hostpath_pv' },
  });
  expect(line).not.toHaveProperty('values.csiAddress');
  expect(line).not.toHaveProperty('values.migratedPlugins');
});

test.each([
  { args: ['--mode=guard'], values: { mode: 'guard' } },
  {
    args: ['--csi-address=unix:///a.sock, /b.sock'],
    values: { csiAddress: ['unix:///a.sock', 'unix:///b.sock'] },
  },
  { args: ['--csi-address=/a.sock,unix:///a.sock'], values: { csiAddress: ['unix:///a.sock'] } },
  { args: ['--csi-timeout=1m30s'], values: { csiTimeout: 90_000 } },
  { args: ['--csi-finalizer=example.com/reclaim'], values: { csiFinalizer: 'example.com/reclaim' } },
  {
    args: ['--migrated-plugins=kubernetes.io/aws-ebs,kubernetes.io/cinder'],
    values: { migratedPlugins: ['kubernetes.io/aws-ebs', 'kubernetes.io/cinder'] },
  },
  { args: ['--host-path-root=/srv/volumes/'], values: { hostPathRoot: '/srv/volumes/' } },
  { args: ['--host-path-root=none'], values: { hostPathRoot: undefined } },
])('$args -> taken', ({ args, values }) => {
  expect(parse(...args)).toMatchObject({ kind: 'run', values });
});

test.each([
  { args: ['--mode=both'], says: /^--mode: "both".*guard, reclaim/ },
  { args: ['--csi-address=csi.sock'], says: /^--csi-address: "csi.sock".*unix:\/\/\/PATH/ },
  { args: ['--csi-address=unix:///a.sock,tcp://b'], says: /^--csi-address: "unix:\/\/\/a.sock,tcp:\/\/b"/ },
  { args: ['--csi-timeout=0s'], says: /^--csi-timeout: "0s".*duration/ },
  { args: ['--csi-finalizer=mine'], says: /^--csi-finalizer: "mine".*DOMAIN\/NAME/ },
  ...[
    'kubernetes.io/pv-protection',
    'kubernetes.io/pv-controller',
    'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection',
    'example.k8s.io/finalizer',
    'external-attacher/csi-example-com',
    'holdfast.dev/undo-window',
    'holdfast.dev/host-path',
  ].map((finalizer) => ({
    args: [`--csi-finalizer=${finalizer}`],
    says: /^--csi-finalizer: ".*nobody else uses.*external-provisioner/,
  })),
  { args: ['--migrated-plugins=kubernetes.io/nfs'], says: /^--migrated-plugins: .*kubernetes\.io\/aws-ebs/ },
  { args: ['--host-path-root=/'], says: /^--host-path-root: "\/"/ },
  { args: ['--host-path-root=/tmp/../etc'], says: /^--host-path-root: "\/tmp\/\.\.\/etc"/ },
  { args: ['--feature-gates=HonorPVReclaimPolicies=true'], says: /HonorPVReclaimPolicy/ },
])('$args -> refused in one line that names flag and value', ({ args, says }) => {
  let refusal: unknown;
  try {
    parse(...args);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as UsageError).message).toMatch(says);
  expect((refusal as UsageError).message).not.toContain('\n');
});
