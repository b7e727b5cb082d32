import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { persistentVolumeClaims, persistentVolumes, pods, storageClasses } from '@holdfast/core';
import { connect, loadKubeConfig, type ConnectedClient } from '@holdfast/runtime';
import { openStage, type Stage } from '@holdfast/scenario';
import { chosenBackend, controlPlaneMissing, startControlPlane, type ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';
import { view } from '../../src/view/view.ts';
import { protection, type ProtectionOptions } from '../apps.ts';
import { startTool } from '../tool-process.ts';
import { itemOf, watchPage } from './watch-page.ts';

/*
 * The whole of it on a control plane: what is changed there is seen at the page's address.
 */

const options = chosenBackend() === 'embedded' ? { tls: false } : {};
const suite = controlPlaneMissing(options) === undefined ? describe : describe.skip;

suite('view', () => {
  let plane: ControlPlane;
  let stage: Stage<ProtectionOptions>;
  let client: ConnectedClient;
  let ending = new AbortController();

  beforeAll(async () => {
    plane = await startControlPlane(options);
    stage = await openStage(plane, protection);
    client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig: stage.kubeconfigFile, insecureHttp: true }),
      registry: new Registry(),
      program: 'kubectl-holdfast',
      version: '0',
    });
  }, 90_000);
  afterAll(async () => {
    await client.close();
    await stage.close();
    await plane.stop();
  }, 60_000);

  // A test that fails in the middle leaves no page behind, which would keep the run from ending.
  afterEach(() => ending.abort(new Error('the test is over')));

  test('what is made, changed and deleted -> seen by who has the address, and explained; Ctrl-C -> it ends', async () => {
    const namespace = await stage.namespace();
    ending = new AbortController();
    const printed = Promise.withResolvers<string>();
    const done = view(
      client,
      {
        ...{ port: 0, open: false, write: (text: string) => printed.resolve(text) },
        surroundings: { namespace, allNamespaces: false, assume: new Map(), workloads: [] },
      },
      ending.signal,
    );
    const [address = ''] = /http:\S+/.exec(await printed.promise) ?? [];
    const watched = await watchPage(address);

    await client.create(storageClasses, undefined, {
      metadata: { name: `fast-${namespace}` },
      provisioner: 'disks.example.com',
    });
    await client.create(persistentVolumeClaims, namespace, {
      metadata: { name: 'data', finalizers: ['example.com/backup'] },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: `fast-${namespace}`,
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await watched.until((group) => itemOf(group, 'claim data')?.state === 'Pending');
    await watched.until((group) => itemOf(group, `class fast-${namespace}`)?.state === 'disks.example.com');

    await client.create(pods, namespace, {
      metadata: { name: 'reader' },
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'c', image: 'none' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await watched.until((group) =>
      group.links.some(
        ({ from, to, kind }) => from === 'pod reader' && to === 'claim data' && kind === 'holds',
      ),
    );

    await client.delete(persistentVolumeClaims, { namespace, name: 'data' });
    await watched.until(
      (group) => itemOf(group, 'claim data')?.heldBy?.includes('example.com/backup') === true,
    );

    const explained = async (name: string, kind = 'pvc') => {
      const url = new URL(`explain?kind=${kind}&name=${name}`, address);
      const [response] = (await once(get(url), 'response')) as [IncomingMessage];
      return { status: response.statusCode, body: await json(response) };
    };
    expect(await explained('data&namespace=kube-system')).toMatchObject({
      status: 403,
      body: { error: expect.stringMatching(/^this page shows only namespace /) },
    });
    expect(await explained('data')).toMatchObject({
      status: 200,
      body: { kind: 'Explanation', state: expect.stringMatching(/^Pending, being deleted since/) as unknown },
    });
    expect((await explained('another')).status).toBe(404);

    const volumeOf = (claim: object | undefined) => ({
      metadata: { generateName: 'elsewhere-' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'disks.example.com', volumeHandle: 'a' },
        ...(claim === undefined ? {} : { claimRef: claim }),
      },
    });
    const explainedVolume = async (claim: object | undefined) => {
      const { metadata } = await client.create(persistentVolumes, undefined, volumeOf(claim));
      return explained(metadata.name, 'pv');
    };
    expect(await explainedVolume({ namespace: 'kube-system', name: 'secret' })).toMatchObject({
      status: 403,
      body: { error: expect.stringMatching(/^this page shows only namespace /) },
    });
    expect(await explainedVolume({ namespace, name: 'data' })).toMatchObject({ status: 200 });
    expect(await explainedVolume(undefined)).toMatchObject({ status: 200 });

    expect(watched.troubles()).toStrictEqual([]);
    ending.abort(new Error('SIGINT'));
    await done;
    await watched.ended;
  });

  test('as a process, page open, Ctrl-C -> ends by itself, exit code 0', async () => {
    const tool = startTool([
      'view',
      '--no-open',
      '-A',
      '--insecure-http',
      `--kubeconfig=${stage.kubeconfigFile}`,
    ]);
    tool.stderr.pipe(process.stderr);
    const exited = once(tool, 'exit');
    const [line] = (await once(createInterface({ input: tool.stdout }), 'line')) as [string];
    expect(line).toMatch(/^What holds what in all namespaces: http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/);
    const watched = await watchPage(line.slice(line.indexOf('http')));
    tool.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    await watched.ended;
  });
});
