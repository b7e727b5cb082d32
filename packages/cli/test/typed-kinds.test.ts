import { expect, test } from '@jest/globals';
import { defineResource } from '@holdfast/core/custom-resource';
import type { WritingClient } from '@holdfast/runtime';
import { z } from 'zod';

/*
 * What compiles for defined kinds, and what does not: `npm run typecheck` fails for each `@ts-expect-error` without an error. The requests are never sent.
 */

const example = { group: 'example.com', version: 'v1' };
const spec = z.object({ host: z.string(), replicas: z.int().min(0).max(9).default(1) });
const sites = defineResource({ ...example, kind: 'Site', spec });
const zones = defineResource({ ...example, kind: 'Zone', spec, scope: 'Cluster' });
const inShop = { namespace: 'shop', name: 'a' };
const metadata = { name: 'a' };

const compiled: readonly ((client: WritingClient) => Promise<unknown>)[] = [
  async (client) => (await client.get(sites, inShop)).spec.replicas.toFixed(),
  // @ts-expect-error a site has a namespace
  (client) => client.get(sites, metadata),
  (client) => client.get(zones, metadata),
  // @ts-expect-error a zone has no namespace
  (client) => client.get(zones, inShop),
  // The server fills in what has a default.
  (client) => client.create(sites, 'shop', { metadata, spec: { host: 'a' } }),
  (client) => client.create(zones, undefined, { metadata, spec: { host: 'a', replicas: 2 } }),
  // @ts-expect-error the host is required
  (client) => client.create(sites, 'shop', { metadata, spec: { replicas: 2 } }),
  // @ts-expect-error no such field
  (client) => client.create(sites, 'shop', { metadata, spec: { host: 'a', replcas: 2 } }),
];

test('kinds, defined with a scope or without one -> their resources say it', () => {
  expect([sites.namespaced, zones.namespaced]).toEqual([true, false]);
  expect(compiled.length).toBeGreaterThan(0);
});
