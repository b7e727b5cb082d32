import { describe, expect, test } from '@jest/globals';
import type { Condition, NamespacedResource, Stored } from '@holdfast/core';
import { checkKeepsStatus } from '../../src/process/kept-status.ts';
import { createProjection, type Projection } from '../../src/wire/projection.ts';

type Site = Stored<{
  spec: object;
  status?: { published?: boolean; hosts?: readonly { name: string }[]; conditions?: readonly Condition[] };
}>;
const sites: NamespacedResource<Site> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  namespaced: true,
};
const conditions: readonly Condition[] = [
  {
    type: 'Ready',
    status: 'True',
    reason: 'Published',
    message: '',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  },
];

describe('status that is set, of a kind that is kept', () => {
  test('whole -> taken', () => {
    expect(() => check(undefined, { published: true, conditions })).not.toThrow();
  });

  test('with its fields -> taken, also where one is removed or has parts that are undefined', () => {
    const projection = createProjection<Site>(sites, {
      status: { published: true, hosts: [{ name: true }] },
    });
    const hosts = [{ name: 'a', port: undefined }];
    expect(() => check(projection, { published: undefined, hosts })).not.toThrow();
  });

  test('null, which the cache takes for absent, as the test of the patch does -> taken', () => {
    const projection = createProjection<Site>(sites, { status: { published: true } });
    expect(() => check(projection, { published: null })).not.toThrow();
  });

  test('empty list -> taken', () => {
    const projection = createProjection<Site>(sites, { status: { hosts: [{ name: true }] } });
    expect(() => check(projection, { hosts: [] })).not.toThrow();
  });

  test.each([
    ['without status', {}, { published: true }, 'published'],
    [
      'without a field that is removed',
      { status: { hosts: [{ name: true }] } },
      { published: undefined },
      'published',
    ],
    ['without the field', { status: { published: true } }, { published: true, hosts: [] }, 'hosts'],
    [
      'with a part of the field',
      { status: { conditions: [{ type: true, status: true }] } },
      { conditions },
      'conditions',
    ],
  ] as const)('%s -> refused, with the name of the field', (_state, kept, fields, missing) => {
    expect(() => check(createProjection<Site>(sites, kept), fields)).toThrow(
      `the cache of sites does not keep status.${missing} whole, so that each write of it would be refused, and nothing would remove it; add it, with all its fields, to the projection`,
    );
  });
});

function check(projection: Projection<Site> | undefined, fields: object): void {
  checkKeepsStatus(sites, projection, fields);
}
