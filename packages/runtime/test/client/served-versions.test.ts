import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../src/client/api-error.ts';
import { servedVersions } from '../../src/client/served-versions.ts';

const boxes = { group: 'example.com', plural: 'boxes' };

const groups = (...versions: readonly string[]) => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [
    { name: 'apps', versions: [{ groupVersion: 'apps/v1', version: 'v1' }] },
    ...(versions.length === 0
      ? []
      : [
          {
            name: 'example.com',
            versions: versions.map((version) => ({ groupVersion: `example.com/${version}`, version })),
          },
        ]),
  ],
});
const resources = (groupVersion: string, ...plurals: readonly string[]) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: plurals.map((name) => ({ name })),
});

/** Answers with the document of that path. */
function reader(documents: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const document = async (path: string): Promise<unknown> => {
    asked.push(path);
    await Promise.resolve();
    if (!Object.hasOwn(documents, path)) {
      throw new ApiError(`GET ${path}`, 404, { message: '404 page not found' });
    }
    return documents[path];
  };
  return { client: { document }, asked };
}

describe('versions in which a kind is served', () => {
  test('kind in one version of two -> that one', async () => {
    const { client } = reader({
      '/apis': groups('v1', 'v2'),
      '/apis/example.com/v1': resources('example.com/v1', 'crates'),
      '/apis/example.com/v2': resources('example.com/v2', 'crates', 'boxes', 'boxes/status'),
    });
    expect(await servedVersions(client, boxes)).toEqual(['v2']);
  });

  test('group is not there -> none, and its resources are not asked for', async () => {
    const { client, asked } = reader({ '/apis': groups() });
    expect(await servedVersions(client, boxes)).toStrictEqual([]);
    expect(asked).toEqual(['/apis']);
  });

  test('group without the kind -> none', async () => {
    const { client } = reader({
      '/apis': groups('v1'),
      '/apis/example.com/v1': resources('example.com/v1', 'crates', 'boxes/status'),
    });
    expect(await servedVersions(client, boxes)).toStrictEqual([]);
  });

  test.each([
    { plural: 'pods', served: ['v1'] },
    { plural: 'boxes', served: [] },
  ])('$plural of the core group -> $served', async ({ plural, served }) => {
    const { client, asked } = reader({ '/api/v1': resources('v1', 'pods') });
    expect(await servedVersions(client, { group: '', plural })).toStrictEqual(served);
    expect(asked).toEqual(['/api/v1']);
  });

  test.each<{ what: string; documents: Readonly<Record<string, unknown>> }>([
    { what: 'nothing', documents: { '/apis': null } },
    { what: 'a text', documents: { '/apis': 'welcome' } },
    { what: 'another kind', documents: { '/apis': { ...groups(), kind: 'Status' } } },
    { what: 'no groups', documents: { '/apis': { kind: 'APIGroupList' } } },
    { what: 'an empty list of groups', documents: { '/apis': { kind: 'APIGroupList', groups: [] } } },
    { what: 'groups without names', documents: { '/apis': { kind: 'APIGroupList', groups: [null, {}] } } },
    {
      what: 'the group without versions',
      documents: { '/apis': { kind: 'APIGroupList', groups: [{ name: 'example.com', versions: [] }] } },
    },
    {
      what: 'a version without a name',
      documents: { '/apis': { kind: 'APIGroupList', groups: [{ name: 'example.com', versions: [{}] }] } },
    },
    {
      what: 'resources of another group',
      documents: { '/apis': groups('v1'), '/apis/example.com/v1': resources('apps/v1', 'deployments') },
    },
    {
      what: 'no resources',
      documents: {
        '/apis': groups('v1'),
        '/apis/example.com/v1': { kind: 'APIResourceList', groupVersion: 'example.com/v1' },
      },
    },
    {
      what: 'groups in the place of resources',
      documents: { '/apis': groups('v1'), '/apis/example.com/v1': groups('v1') },
    },
  ])('answered with $what -> refused, and the path named', async ({ documents }) => {
    const { client } = reader(documents);
    const last = String(Object.keys(documents).at(-1));
    await expect(servedVersions(client, boxes)).rejects.toThrow(`GET ${last} with something`);
  });

  test('version can not be read -> thrown, although the other is without the kind', async () => {
    const { client } = reader({
      '/apis': groups('v1', 'v2'),
      '/apis/example.com/v1': resources('example.com/v1', 'crates'),
    });
    await expect(servedVersions(client, boxes)).rejects.toThrow(ApiError);
  });
});
