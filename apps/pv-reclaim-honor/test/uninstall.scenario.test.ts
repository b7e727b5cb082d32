import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumes } from '@holdfast/core';
import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import { eventually, makeNamespace, makeServiceAccount, startApp } from '@holdfast/scenario';
import { controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { csiFinalizer, heldByAnnotation, inTreeFinalizer, pvProtection } from './objects.ts';
import { handOf, withBinder, type Hand, type Stage, type Storage } from './stage.ts';
import { useBinderScenes } from './storage-scene.ts';

/*
 * `--uninstall` as the Job of deploy/pv-reclaim-honor/uninstall runs it, with the permissions of its manifests, after a
 * process that held volumes, one of release 0.1.0, and a csi-provisioner.
 */

const missing = controlPlaneMissing(withBinder);
const suite = missing === undefined ? describe : describe.skip;
const system = 'holdfast-system';

suite('A1: --uninstall of pv-reclaim-honor', () => {
  const clients: ApiClient[] = [];
  afterAll(() => Promise.all(clients.map((client) => client.close())));
  const open = useBinderScenes(afterAll);
  let plane: ControlPlane;
  let stage: Stage;
  let storage: Storage;
  let hand: Hand;
  let kubeconfig: string;

  beforeAll(async () => {
    ({ plane, stage, storage } = await open(startControlPlane(withBinder)));
    await makeNamespace(stage.client, system);
    kubeconfig = `${stage.kubeconfigFile}-of-the-job`;
    await writeFile(
      kubeconfig,
      await makeServiceAccount({
        client: stage.client,
        kubeconfig: plane.kubeconfig,
        roles: ['pv-reclaim-honor/uninstall/role.yaml'],
        namespace: system,
        suffix: 'uninstall',
      }),
    );
    hand = handOf(stage, await stage.namespace(), storage.driver);
  }, 120_000);

  /** Puts a finalizer on as that program would. */
  const holdAs = async (program: string, short: string, finalizer: string): Promise<void> => {
    const client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig: stage.kubeconfigFile }),
      registry: new Registry(),
      program,
      version: '0.1.0',
    });
    clients.push(client);
    await client.patch(persistentVolumes, { name: hand.nameOf(short) }, [
      { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
    ]);
  };

  const uninstall = async (...flags: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const app = startApp('pv-reclaim-honor', [
      '--uninstall',
      `--kubeconfig=${kubeconfig}`,
      `--leader-elect-resource-namespace=${system}`,
      ...flags,
    ]);
    expect(await app.exit).toEqual({ code: 0, signal: null });
    const lines = app.stderr().trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const said = (lines: readonly Record<string, unknown>[], message: string) =>
    lines.filter(({ msg }) => msg === message);

  test('volumes held by us, by release 0.1.0 and by others -> ours goes, theirs stays; again -> nothing is written', async () => {
    await stage.startController({ csiAddresses: [storage.driver.address] });
    await hand.held('ours');
    await hand.held('waiting');
    await hand.held('renamed');
    await stage.stopControllers();
    await stage.startController({ csiAddresses: [storage.driver.address], csiFinalizer: 'example.com/x' });
    await eventually('renamed has the other', async () =>
      (await hand.finalizersOf('renamed')).includes('example.com/x'),
    );
    await stage.stopControllers();
    await hand.deleteClaim('waiting');
    await eventually(
      'it is released',
      async () => (await hand.volume('waiting'))?.status?.phase === 'Released',
    );
    const nfs = { source: { nfs: { server: 'nfs.example.com', path: '/exports/v' } } };
    await hand.bound('old', {});
    await holdAs('pv-reclaim-honor', 'old', csiFinalizer);
    await hand.bound('oldstatic', { ...nfs, annotations: { 'example.com/static': 'yes' } });
    await holdAs('pv-reclaim-honor', 'oldstatic', inTreeFinalizer);
    await hand.bound('theirs', {});
    await holdAs('csi-provisioner', 'theirs', csiFinalizer);

    const names = ['ours', 'waiting', 'renamed', 'old', 'oldstatic', 'theirs'];
    const state = async (): Promise<Record<string, readonly string[]>> =>
      Object.fromEntries(
        await Promise.all(
          names.map(async (short) => {
            const { metadata } = (await hand.volume(short)) ?? {};
            const record = metadata?.annotations?.[heldByAnnotation];
            const finalizers = (metadata?.finalizers ?? []).filter((each) => each !== pvProtection);
            return [short, record === undefined ? finalizers : [...finalizers, 'recorded']] as const;
          }),
        ),
      );
    const before = await state();

    const dry = await uninstall('--dry-run');
    expect(said(dry, 'Taken back')).toMatchObject([{ takenBack: 5, refused: 0 }]);
    expect(await state()).toEqual(before);

    const first = await uninstall();
    expect(said(first, 'Taken back')).toMatchObject([{ takenBack: 5, refused: 0 }]);
    expect(said(first, 'Taken back, mind the notice')).toMatchObject([
      { key: hand.nameOf('waiting'), notice: expect.stringContaining(hand.nameOf('waiting')) },
    ]);
    expect(await state()).toEqual({
      ours: [],
      waiting: [],
      renamed: [],
      old: [],
      oldstatic: [],
      theirs: [csiFinalizer],
    });

    const versions = async () =>
      Promise.all(names.map(async (short) => (await hand.volume(short))?.metadata.resourceVersion));
    const written = await versions();
    const second = await uninstall();
    expect(said(second, 'Taken back')).toMatchObject([{ takenBack: 0, refused: 0 }]);
    expect(said(second, 'Uninstalled')).toHaveLength(1);
    expect(await versions()).toEqual(written);

    // What is deleted now goes, and its storage stays, as before there was this app.
    await hand.deleteVolume('ours');
    await hand.deleteClaim('ours');
    await eventually('ours is gone', () => hand.volumeIsGone('ours'), 45_000);
    expect(storage.driver.hasVolume(hand.nameOf('ours'))).toBe(true);
  }, 240_000);
});
