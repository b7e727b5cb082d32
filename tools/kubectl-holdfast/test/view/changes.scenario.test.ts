import { afterEach, expect, test } from '@jest/globals';
import { namespaces, persistentVolumeClaims, statefulSets } from '@holdfast/core';
import { namespaceDeletion, statefulSetController } from '@holdfast/testing';
import { view } from '../../src/view/view.ts';
import { protection, type ProtectionOptions } from '../apps.ts';
import { describeScene, type SceneOptions } from '../scene.ts';
import { itemOf, watchPage } from './watch-page.ts';

/*
 * What changes under a page that is open, on the oldest release that Holdfast is tested on.
 */

const options: SceneOptions<ProtectionOptions> = {
  real: { release: '1.31' },
  common: {
    controllers: ['namespace-controller', 'statefulset-controller', 'garbage-collector-controller'],
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  },
  standIns: [namespaceDeletion, statefulSetController({ retention: true })],
  app: protection,
  started: undefined,
};

describeScene('page that is open', options, (scene) => {
  let ending = new AbortController();
  afterEach(() => ending.abort(new Error('the test is over')));

  test("policy of a set is changed, its claims become the set's own, the namespace is deleted -> drawn each time, and at last nothing", async () => {
    const { client } = scene;
    const namespace = await scene.stage.namespace();
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
    const page = await watchPage(address);

    const policyIs = (whenScaled: string, whenDeleted: string) => ({
      persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
    });
    await client.create(statefulSets, namespace, {
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        serviceName: 'web',
        selector: { matchLabels: { app: 'web' } },
        ...policyIs('Retain', 'Retain'),
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'example.com/none' }], terminationGracePeriodSeconds: 0 },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    });
    await page.until((group) => itemOf(group, 'set web')?.state.includes('deleted Retain') === true);
    await page.until((group) =>
      group.links.some(
        ({ from, to, kind }) => from === 'pod web-0' && to === 'claim data-web-0' && kind === 'holds',
      ),
    );

    await client.patch(statefulSets, { namespace, name: 'web' }, [
      { op: 'replace', path: '/spec/persistentVolumeClaimRetentionPolicy/whenDeleted', value: 'Delete' },
    ]);
    await page.until((group) => itemOf(group, 'set web')?.state.includes('deleted Delete') === true);
    await page.until((group) =>
      group.links.some(
        ({ from, to, kind }) => from === 'set web' && to === 'claim data-web-0' && kind === 'owns',
      ),
    );

    await client.delete(namespaces, { name: namespace });
    await page.untilEmpty();
    const { items } = await client.list(persistentVolumeClaims, { namespace });
    expect(items).toStrictEqual([]);
    expect(page.troubles()).toStrictEqual([]);

    ending.abort(new Error('SIGINT'));
    await done;
    await page.ended;
  });
});
