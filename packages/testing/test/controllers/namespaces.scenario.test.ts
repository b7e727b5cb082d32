import { expect, jest, test } from '@jest/globals';
import {
  configMaps,
  namespaces,
  persistentVolumeClaims,
  pods,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { kubelet } from '../../src/controllers/kubelet.ts';
import {
  defaultServiceAccounts,
  rootCaPublisher,
} from '../../src/controllers/namespaces/namespace-defaults.ts';
import { namespaceDeletion } from '../../src/controllers/namespaces/namespace-deletion.ts';
import { onEveryStage } from './stages.ts';

jest.setTimeout(60_000);

const serviceAccounts: ApiResource<KubernetesObject> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
const held = 'example.com/held';

onEveryStage(
  'namespaces',
  {
    controllers: [
      'namespace-controller',
      'serviceaccount-controller',
      'root-ca-certificate-publisher-controller',
    ],
    standIns: () => [namespaceDeletion, defaultServiceAccounts, rootCaPublisher],
    extras: () => [kubelet()],
    tls: true,
  },
  (stage) => {
    test('created -> it has the default service account and the root CA, also after they were deleted', async () => {
      const { client, settles } = stage();
      const namespace = `ns-${crypto.randomUUID()}`;
      await client.create(namespaces, { metadata: { name: namespace } });
      const state = async (): Promise<unknown> => ({
        accounts: (await client.list(serviceAccounts, namespace)).items.map(({ metadata }) => metadata.name),
        configMaps: (await client.list(configMaps, namespace)).items.map(({ metadata, data }) => [
          metadata.name,
          data?.['ca.crt']?.includes('BEGIN CERTIFICATE'),
        ]),
      });
      const expected = { accounts: ['default'], configMaps: [['kube-root-ca.crt', true]] };
      await settles(state, expected);
      await client.delete(serviceAccounts, { namespace, name: 'default' });
      await client.delete(configMaps, { namespace, name: 'kube-root-ca.crt' });
      await settles(state, expected);
    });

    test('deleted with a held claim and a pod in it -> it terminates, and goes when the claim does', async () => {
      const { client, settles } = stage();
      const namespace = `ns-${crypto.randomUUID()}`;
      await client.create(namespaces, { metadata: { name: namespace } });
      await client.create(pods, {
        metadata: { name: 'p', namespace },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }], automountServiceAccountToken: false },
      });
      await client.create(persistentVolumeClaims, {
        metadata: { name: 'c', namespace, finalizers: [held] },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await settles(async () => (await client.get(pods, { namespace, name: 'p' }))?.status?.phase, 'Running');
      await client.delete(namespaces, { name: namespace });
      const state = async (): Promise<unknown> => {
        const found = await client.get(namespaces, { name: namespace });
        const claims = (await client.list(persistentVolumeClaims, namespace)).items;
        return {
          phase: found?.status?.phase,
          finalizers: found?.spec?.finalizers,
          claims: claims.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
          pods: (await client.list(pods, namespace)).items.length,
          configMaps: (await client.list(configMaps, namespace)).items.length,
        };
      };
      await settles(state, {
        phase: 'Terminating',
        finalizers: ['kubernetes'],
        claims: [['c', true]],
        pods: 0,
        configMaps: 0,
      });
      await client.patch(persistentVolumeClaims, { namespace, name: 'c' }, [
        { op: 'replace', path: '/metadata/finalizers', value: [] },
      ]);
      await settles(async () => client.get(namespaces, { name: namespace }), undefined);
      expect((await client.list(persistentVolumeClaims, namespace)).items).toStrictEqual([]);
    });
  },
);
