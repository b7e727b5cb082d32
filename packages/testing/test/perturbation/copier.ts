import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { configMaps, namespaces, type ConfigMap } from '@holdfast/core';
import type { Furniture, Operator, Outside, ProbeAnswer, Scenario } from '@holdfast/testing/perturbation';

/** What the operator in copier.js can do wrong. */
export type CopierFault =
  | 'trusts-cache'
  | 'edge-triggered'
  | 'marks-first'
  | 'counts-first'
  | 'forgets'
  | 'takes-409-for-done'
  | 'orders-last';

/** Probes come by the hundred: each process is asked over one connection. */
const probes = new Agent({ keepAlive: true });

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
        const [response] = (await once(get(url, { agent: probes }), 'response')) as [IncomingMessage];
        return (await json(response)) as ProbeAnswer;
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

/** A shop that the operator orders paper at. */
interface Shop extends Furniture {
  readonly url: string;
  readonly ordered: readonly string[];
}

async function openShop(outside: Outside): Promise<Shop> {
  const ordered = new Set<string>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    outside
      .carryOut(`order ${name}`, () => {
        ordered.add(name);
        return Promise.resolve();
      })
      .then(
        () => response.end(),
        () => response.destroy(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get ordered() {
      return [...ordered];
    },
    idle: () => Promise.resolve(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A source is made, and paper is ordered for its copy. */
export const ordersPaper: Scenario<Shop> = {
  name: 'orders-paper',
  description: 'A source is made, and paper is ordered for its copy.',
  furnish: (_plane, outside) => openShop(outside),
  prepare: async (cluster) => {
    await cluster.create(namespaces, { metadata: { name: 'shop' } });
  },
  args: ({ url }) => [`--shop=${url}`],
  steps: [
    {
      name: 'make a source',
      act: async (cluster) => {
        await cluster.create(configMaps, source, 'shop');
      },
    },
  ],
  invariants: [],
  remains: ({ ordered }) => Promise.resolve(ordered),
};
