import { configMaps, namespaces, type ConfigMap } from '@holdfast/core';
import type { Operator, ProbeAnswer, Scenario } from '@holdfast/testing/perturbation';

/** What the operator in copier.js can do wrong. */
export type CopierFault =
  'trusts-cache' | 'edge-triggered' | 'marks-first' | 'counts-first' | 'forgets' | 'takes-409-for-done';

/** The operator in copier.js. */
export function copier(...faults: readonly CopierFault[]): Operator {
  return {
    name: 'copier',
    commandLine: ({ kubeconfig, elects }) => ({
      file: process.execPath,
      args: [new URL('copier.js', import.meta.url).pathname, kubeconfig, String(elects), ...faults],
    }),
    probe: async ({ stdout }): Promise<ProbeAnswer> => {
      const url = stdout.trim();
      if (url === '') {
        return { isIdle: false };
      }
      try {
        return (await (await fetch(url, { headers: { connection: 'close' } })).json()) as ProbeAnswer;
      } catch {
        return { isIdle: false };
      }
    },
  };
}

const at = (name: string) => ({ namespace: 'shop', name });
const source = { metadata: { name: 'a', labels: { copy: 'yes' } }, data: { colour: 'blue' } };

/** A source is made, deleted and made again. */
export const copies: Scenario = {
  name: 'copies',
  description: 'A source is made, deleted and made again.',
  prepare: async (cluster) => {
    await cluster.create(namespaces, { metadata: { name: 'shop' } });
    await cluster.create(configMaps, { metadata: { name: 'count' }, data: { copies: '0' } }, 'shop');
  },
  steps: [
    {
      name: 'make a source',
      act: async (cluster) => {
        await cluster.create(configMaps, source, 'shop');
      },
    },
    { name: 'delete it', act: (cluster) => cluster.delete(configMaps, at('a')) },
    {
      name: 'make it again',
      act: async (cluster) => {
        await cluster.create(configMaps, source, 'shop');
      },
    },
  ],
  invariants: [
    {
      name: 'a copy whose source is there is not deleted',
      breach: ({ type, object }, state) => {
        const name = object.metadata.name.replace(/-copy$/, '');
        const isDeletedCopy = type === 'DELETED' && name !== object.metadata.name;
        const found = state.find('ConfigMap', 'shop', name) as ConfigMap | undefined;
        return isDeletedCopy && found !== undefined ? `${object.metadata.name} is deleted` : undefined;
      },
    },
  ],
};
