import { describe, expect, test } from '@jest/globals';
import {
  kindsOfDefinition,
  kindsOfDocument,
  type KindSchema,
  type OpenApiSchema,
} from '../../src/lint/openapi-schemas.ts';

const ofDocument = (schemas: Readonly<Record<string, OpenApiSchema>>): readonly KindSchema[] =>
  kindsOfDocument({ components: { schemas } });

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };

describe('kindsOfDocument', () => {
  test('schema with a kind -> that kind, by a reference into the document', () => {
    const [found, ...others] = ofDocument({
      'io.k8s.api.apps.v1.Deployment': { type: 'object', 'x-kubernetes-group-version-kind': [deployment] },
      'io.k8s.api.apps.v1.DeploymentSpec': { type: 'object' },
    });
    expect(others).toStrictEqual([]);
    expect(found).toMatchObject({
      ...deployment,
      schema: { $ref: '#/components/schemas/io.k8s.api.apps.v1.Deployment' },
    });
  });

  test('schema that names kinds of all groups, as DeleteOptions does -> only the one that it is', () => {
    const kinds = ofDocument({
      'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent': {
        'x-kubernetes-group-version-kind': [{ ...deployment, kind: 'Other' }],
      },
    });
    expect(kinds).toStrictEqual([]);
  });

  test.each<{ readonly name: string; readonly schema: OpenApiSchema; readonly refuses: boolean }>([
    { name: 'named fields', schema: { properties: { a: { type: 'string' } } }, refuses: true },
    { name: 'any field', schema: { type: 'object' }, refuses: false },
    {
      name: 'a map',
      schema: { properties: {}, additionalProperties: { type: 'string' } },
      refuses: false,
    },
    {
      name: 'fields that are kept unseen',
      schema: { properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
      refuses: false,
    },
    { name: 'a reference', schema: { allOf: [{ $ref: '#/components/schemas/a' }] }, refuses: false },
  ])('object of $name, at any depth -> a field more refused: $refuses', ({ schema, refuses }) => {
    const [found] = ofDocument({
      'a.Kind': {
        properties: { list: { items: schema }, map: { additionalProperties: schema }, field: schema },
        'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Kind' }],
      },
    });
    const { components } = found?.schema as { components: { schemas: Record<string, OpenApiSchema> } };
    const { list, map, field } = components.schemas['a.Kind']?.properties ?? {};
    for (const inner of [list?.items, map?.additionalProperties, field]) {
      expect((inner as OpenApiSchema).additionalProperties === false).toBe(refuses);
    }
  });

  test('field that is itself named "properties", as of a CustomResourceDefinition -> a field', () => {
    const [found] = ofDocument({
      'a.Kind': {
        properties: { properties: { type: 'object', additionalProperties: { type: 'string' } } },
        'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Kind' }],
      },
    });
    const { components } = found?.schema as { components: { schemas: Record<string, OpenApiSchema> } };
    expect(components.schemas['a.Kind']?.properties?.['properties']).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    });
  });
});

describe('kindsOfDefinition', () => {
  test('two versions -> a kind each, a field more refused', () => {
    const schema = { openAPIV3Schema: { properties: { spec: { type: 'object' } } } };
    const kinds = kindsOfDefinition({
      spec: {
        group: 'example.com',
        names: { kind: 'Widget' },
        versions: [
          { name: 'v1', schema },
          { name: 'v2', schema },
        ],
      },
    });
    expect(kinds).toHaveLength(2);
    expect(kinds[1]).toMatchObject({
      group: 'example.com',
      version: 'v2',
      kind: 'Widget',
      schema: { additionalProperties: false },
    });
  });
});
