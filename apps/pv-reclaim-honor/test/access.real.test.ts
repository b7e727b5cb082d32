import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventsV1, secrets, storageClasses } from '@holdfast/core';
import { eventually, startApp } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { handOf, withBinder, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

const missing = controlPlaneMissing({ backend: 'real', release: '1.36', ...withBinder });
const suite = missing === undefined ? describe : describe.skip;
const overlay = (name: string): string =>
  fileURLToPath(new URL(`../../../deploy/pv-reclaim-honor/${name}`, import.meta.url));

suite('with its own service account', () => {
  const open = useBinderScenes(afterAll);
  let plane: RealControlPlane;
  let stage: Stage;
  let storage: Storage;
  let folder: string;

  beforeAll(async () => {
    ({ plane, stage, storage } = await open(startRealControlPlane({ release: '1.36', ...withBinder })));
    folder = await mkdtemp(join(tmpdir(), 'holdfast-access-'));
  }, 120_000);

  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ['sidecar', 'holdfast-system'],
    ['standalone', 'holdfast-storage'],
  ])(
    '%s: manifests applied -> nothing that it does is forbidden',
    async (name, namespace) => {
      const applied = await plane.kubectl(['apply', '-k', overlay(name)]);
      expect(applied).toMatchObject({ code: 0 });
      const { stdout: token } = await plane.kubectl(['create', 'token', 'pv-reclaim-honor', '-n', namespace]);
      const config = JSON.parse(plane.kubeconfig) as { users: { user: object }[] };
      const file = join(folder, `${name}.json`);
      await writeFile(
        file,
        JSON.stringify({
          ...config,
          users: config.users.map((user) => ({ ...user, user: { token: token.trim() } })),
        }),
      );
      const isSidecar = name === 'sidecar';
      const inNamespace = await stage.namespace();
      if (isSidecar) {
        await stage.client.create(secrets, namespace, {
          metadata: { name: 'csi-provisioner-secret' },
          data: { user: Buffer.from('me').toString('base64') },
        });
        await stage.client.create(storageClasses, undefined, {
          metadata: { name: inNamespace },
          provisioner: storage.driver.name,
          parameters: {
            'csi.storage.k8s.io/provisioner-secret-name': 'csi-provisioner-secret',
            'csi.storage.k8s.io/provisioner-secret-namespace': namespace,
          },
        });
      }
      const app = startApp('pv-reclaim-honor', [
        `--kubeconfig=${file}`,
        `--csi-address=${storage.driver.address}`,
        `--leader-elect-resource-namespace=${namespace}`,
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=0',
      ]);
      const hand = handOf(stage, inNamespace, storage.driver);
      await hand.held('v');
      const uid = (await hand.volume('v'))?.metadata.uid;
      await hand.deleteVolume('v');
      await hand.deleteClaim('v');
      await eventually('v is gone', () => hand.volumeIsGone('v'));
      await hand.held('w');
      await hand.deleteClaim('w');
      await eventually('w is gone', () => hand.volumeIsGone('w'));
      const deletion = storage.driver.deletions.find(({ handle }) => handle === hand.nameOf('v'));
      expect(deletion?.secrets).toEqual(isSidecar ? { user: 'me' } : {});
      await eventually('the Event is recorded', async () =>
        (await stage.client.list(eventsV1, { namespace: 'default' })).items.some(
          ({ regarding, reason }) => regarding?.uid === uid && reason === 'VolumeReclaimed',
        ),
      );
      const address = /"purpose":"metrics","address":"([^"]+)"/.exec(app.stderr())?.[1] ?? '';
      const metrics = await (await fetch(`http://${address}/metrics`)).text();
      expect(metrics).toMatch(/^rest_client_requests_total\{code="200",method="PATCH"/m);
      expect(metrics).not.toMatch(/code="403"/);
      expect(app.stderr()).not.toMatch(/orbidden/);
      app.kill('SIGTERM');
      expect(await app.exit).toEqual({ code: 0, signal: null });
    },
    120_000,
  );

  test('standalone applied beside the sidecar, then deleted -> both may write volumes, then the sidecar still may', async () => {
    const mayPatch = async (namespace: string): Promise<string> =>
      (
        await plane.kubectl([
          ...['auth', 'can-i', 'patch', 'persistentvolumes'],
          `--as=system:serviceaccount:${namespace}:pv-reclaim-honor`,
        ])
      ).stdout.trim();
    await plane.kubectl(['apply', '-k', overlay('sidecar')]);
    await plane.kubectl(['apply', '-k', overlay('standalone')]);
    await eventually('the standalone one may', async () => (await mayPatch('holdfast-storage')) === 'yes');
    await eventually('the sidecar may', async () => (await mayPatch('holdfast-system')) === 'yes');
    await plane.kubectl(['delete', '-k', overlay('standalone'), '--wait=false']);
    await eventually(
      'the standalone one may no longer',
      async () => (await mayPatch('holdfast-storage')) === 'no',
    );
    expect(await mayPatch('holdfast-system')).toBe('yes');
  }, 60_000);
});
