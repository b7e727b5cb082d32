import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { FieldProblem } from '../../src/custom-resource/problem.ts';
import { versionOf, type VersionOptions } from '../../src/custom-resource/version-of.ts';

const spec = z.object({
  replicas: z.int32(),
  isOpen: z.boolean().optional(),
  host: z.string().optional(),
  size: z.number().optional(),
});
const status = z.object({ replicas: z.int32(), selector: z.string() });
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

const made = (options: Partial<VersionOptions> = {}) => versionOf('v1', true, true, { spec, ...options }, []);

function problemsOf(options: Partial<VersionOptions>): readonly string[] {
  const problems: FieldProblem[] = [];
  versionOf('v1', true, true, { spec, status, ...options }, problems);
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('parts of a version', () => {
  test('nothing but a spec that may be missing -> nothing else is said', () => {
    expect(made({ spec: z.object({}).optional() })).toStrictEqual({
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec: { type: 'object' },
          },
        },
      },
    });
  });

  test('served or stored -> said as it is', () => {
    const { served, storage } = versionOf('v1', false, false, { spec }, []);
    expect([served, storage]).toEqual([false, false]);
  });

  test.each<[string, Partial<VersionOptions>, object | undefined]>([
    ['neither status nor scale', {}, undefined],
    ['a status', { status }, { status: {} }],
    ['a scale', { scale }, { scale }],
    ['both', { status, scale }, { status: {}, scale }],
  ])('%s -> subresources for that', (_, options, subresources) => {
    expect(made(options).subresources).toStrictEqual(subresources);
  });

  test.each<[boolean | string | undefined, object]>([
    [undefined, {}],
    [false, {}],
    [true, { deprecated: true }],
    ['use v2', { deprecated: true, deprecationWarning: 'use v2' }],
  ])('deprecated: %s -> as the definition says it', (deprecated, said) => {
    expect(made(deprecated === undefined ? {} : { deprecated })).toStrictEqual({ ...made(), ...said });
  });

  test('a status that is always there -> only the spec is required', () => {
    expect(made({ status }).schema.openAPIV3Schema.required).toEqual(['spec']);
  });
});

describe('path that leads nowhere -> named', () => {
  const wanted = (path: string, jsonPath: string, type: string) =>
    `${path}: ${jsonPath} is no field of type ${type}; give one such as .spec.replicas`;
  test.each<[string, Partial<VersionOptions>, string]>([
    [
      'replicas of the spec',
      { scale: { ...scale, specReplicasPath: '.spec.host' } },
      wanted('scale.specReplicasPath', '.spec.host', 'integer'),
    ],
    [
      'replicas of the status',
      { scale: { ...scale, statusReplicasPath: '.status.none' } },
      wanted('scale.statusReplicasPath', '.status.none', 'integer'),
    ],
    [
      'selector',
      { scale: { ...scale, labelSelectorPath: '.status.replicas' } },
      wanted('scale.labelSelectorPath', '.status.replicas', 'string'),
    ],
    [
      'field for selectors',
      { selectableFields: ['.spec.size'] },
      wanted('selectableFields', '.spec.size', 'boolean or integer or string'),
    ],
    [
      'path without a dot at its start',
      { selectableFields: ['spec.host'] },
      wanted('selectableFields', 'spec.host', 'boolean or integer or string'),
    ],
    [
      'path that begins within another',
      { selectableFields: ['x.spec.host'] },
      wanted('selectableFields', 'x.spec.host', 'boolean or integer or string'),
    ],
    [
      'column',
      { printerColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.name' }] },
      'printerColumns[Host]: .spec.name is no field; give a path such as .spec.host',
    ],
    [
      'column of a path without a dot at its start',
      { printerColumns: [{ name: 'Host', type: 'string', jsonPath: 'spec.host' }] },
      'printerColumns[Host]: spec.host is no field; give a path such as .spec.host',
    ],
    [
      'column of what no metadata is',
      { printerColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.metadata.name' }] },
      'printerColumns[Host]: .spec.metadata.name is no field; give a path such as .spec.host',
    ],
  ])('%s', (_, options, problem) => {
    expect(problemsOf(options)).toEqual([problem]);
  });

  test.each<[string, Partial<VersionOptions>]>([
    ['scale, all of it', { scale: { ...scale, labelSelectorPath: '.status.selector' } }],
    ['fields for selectors', { selectableFields: ['.spec.host', '.spec.isOpen', '.spec.replicas'] }],
    ['column of a field', { printerColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }] }],
    [
      'column by a filter',
      { printerColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.hosts[0]' }] },
    ],
    [
      'fields below what may have any',
      {
        spec: z.object({ any: z.looseObject({ known: z.object({}) }) }),
        printerColumns: [{ name: 'Any', type: 'string', jsonPath: '.spec.any.a.b' }],
      },
    ],
  ])('%s, which leads somewhere -> taken', (_, options) => {
    expect(problemsOf(options)).toStrictEqual([]);
  });

  test('field of a known object below what may have any -> named', () => {
    const loose = z.object({ any: z.looseObject({ known: z.object({}) }) });
    expect(problemsOf({ spec: loose, selectableFields: ['.spec.any.known.a'] })).toEqual([
      wanted('selectableFields', '.spec.any.known.a', 'boolean or integer or string'),
    ]);
  });
});
