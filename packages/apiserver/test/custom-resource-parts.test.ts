import { describe, expect, test } from '@jest/globals';
import type { CustomResourceDefinition } from '../src/custom-resources/custom-resource-definition.ts';
import { decideNames } from '../src/custom-resources/naming.ts';
import { compareVersions } from '../src/custom-resources/version-priority.ts';
import { parseJsonPath, printFound } from '../src/selectors/json-path.ts';

test('versions -> in the order that clients prefer', () => {
  const versions = ['v1', 'foo', 'v1alpha1', 'v2beta1', 'v10', 'v2', 'v1beta2', 'bar', 'v01'];
  expect(versions.toSorted(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v2beta1',
    'v1beta2',
    'v1alpha1',
    'bar',
    'foo',
    'v01',
  ]);
});

describe('JSON path', () => {
  const value = {
    metadata: { name: 'a', annotations: { 'example.com/x': 'y' } },
    spec: { list: [{ n: 1 }, { n: 2 }], on: true },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Odd', status: 'False' },
      ],
    },
  };
  test.each([
    ['.metadata.name', ['a']],
    [".metadata.annotations['example.com/x']", ['y']],
    ['.metadata.annotations.example\\.com/x', undefined],
    ['.spec.list[0].n', [1]],
    ['.spec.list[-1].n', [2]],
    ['.spec.list[*].n', [1, 2]],
    ['.spec.list[?(@.n>1)].n', [2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ['.spec.absent.below', []],
    ['.spec.list[', undefined],
  ])('%s -> %j', (path, found) => {
    if (found === undefined) {
      expect(() => parseJsonPath(path)).toThrow('is no JSON path');
    } else {
      expect(parseJsonPath(path)(value)).toEqual(found);
    }
  });

  test('object found -> printed as JSON', () => {
    expect(printFound({ a: 1 })).toBe('{"a":1}');
  });
});

describe('names of a definition', () => {
  const definition = (group: string, names: object, acceptedNames: object): CustomResourceDefinition =>
    ({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: {},
      spec: { group, names, scope: 'Cluster', versions: [] },
      status: { acceptedNames },
    }) as unknown as CustomResourceDefinition;
  const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList', shortNames: ['x'] };
  const none = { plural: '', kind: '' };

  test.each([
    ['nobody has them', 'g.io', {}, 'True', 'NoConflicts'],
    [
      'the plural is a short name of another',
      'g.io',
      { plural: 'bs', shortNames: ['as'] },
      'False',
      'PluralConflict',
    ],
    ['the singular is taken', 'g.io', { plural: 'bs', singular: 'a' }, 'False', 'SingularConflict'],
    ['a short name is taken', 'g.io', { plural: 'x' }, 'False', 'ShortNamesConflict'],
    ['the kind is the kind of a list', 'g.io', { plural: 'bs', listKind: 'A' }, 'False', 'KindConflict'],
    ['they are taken in another group', 'other.io', names, 'True', 'NoConflicts'],
  ])('%s -> %4$s %5$s', (_, group, taken, status, reason) => {
    const other = definition(group, {}, { ...none, ...taken });
    const { condition } = decideNames(definition('g.io', names, none), [other]);
    expect(condition).toMatchObject({ status, reason });
  });

  test('name taken, another was accepted before -> that one stays', () => {
    const before = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList', shortNames: ['y'] };
    const other = definition('g.io', {}, { plural: 'x', kind: 'X' });
    const { acceptedNames } = decideNames(definition('g.io', names, before), [other]);
    expect(acceptedNames.shortNames).toEqual(['y']);
  });
});
