import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';

/*
 * What kube-apiserver 1.36.3 says it serves (recorded/discovery.json, by recorded/record-discovery.ts) is served here,
 * but for the subresources that need a kubelet or pass requests on.
 */

interface Resource {
  readonly name: string;
  readonly verbs: readonly string[];
}

const recorded = JSON.parse(
  readFileSync(new URL('recorded/discovery.json', import.meta.url), 'utf8'),
) as readonly (readonly [path: string, answer: { readonly resources?: readonly Resource[] }])[];

const notServed: ReadonlySet<string> = new Set([
  'nodes/proxy',
  'pods/attach',
  'pods/exec',
  'pods/log',
  'pods/portforward',
  'pods/proxy',
  'services/proxy',
]);

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

async function discovered(path: string): Promise<{ readonly resources?: readonly Resource[] }> {
  const { users } = JSON.parse(server.kubeconfig) as { users: { user: { token: string } }[] };
  const answer = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${users[0]?.user.token ?? ''}` },
  });
  return (await answer.json()) as { readonly resources?: readonly Resource[] };
}

const byName = (a: Resource, b: Resource): number => (a.name < b.name ? -1 : 1);

test.each(recorded)('%s -> as recorded from kube-apiserver', async (path, expected) => {
  const { resources: given, ...rest } = await discovered(path);
  const { resources, ...expectedRest } = expected;
  expect(rest).toEqual(expectedRest);
  expect(given?.toSorted(byName)).toEqual(
    resources?.filter(({ name }) => !notServed.has(name)).toSorted(byName),
  );
});

test('67 resources', () => {
  const names = recorded.flatMap(([path, { resources = [] }]) =>
    resources
      .filter(({ name }) => !name.includes('/'))
      // A kind that is served in two versions is one resource.
      .map(({ name }) => `${path.replace(/\/v\d+$/, '')}/${name}`),
  );
  expect(new Set(names).size).toBe(67);
});
