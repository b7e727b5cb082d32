import { expect, test } from '@jest/globals';
import type { Definition, FoundDefinition } from '../src/found-definition.ts';
import { nameConflicts } from '../src/name-conflicts.ts';

function found(name: string, group: string, names: Partial<Definition['spec']['names']>): FoundDefinition {
  const all = { plural: `${name}s`, singular: name, kind: name.toUpperCase(), ...names };
  return {
    module: 'm.ts',
    name,
    definition: { metadata: { name: `${all.plural}.${group}` }, spec: { group, names: all } },
  };
}

const site = found('site', 'example.com', { shortNames: ['st', 'site'] });

test.each<readonly [string, FoundDefinition, readonly string[]]>([
  ['other names', found('page', 'example.com', {}), []],
  ['same names in another group', found('site', 'example.org', {}), []],
  [
    'short name that is a short name there',
    found('page', 'example.com', { shortNames: ['st'] }),
    ['resource name st'],
  ],
  [
    'short name that is a plural there',
    found('page', 'example.com', { shortNames: ['sites'] }),
    ['resource name sites'],
  ],
  ['same kind', found('page', 'example.com', { kind: 'SITE' }), ['kind name SITE']],
  ['kind that is a list kind there', found('page', 'example.com', { listKind: 'SITE' }), ['kind name SITE']],
])('%s -> names that both want', (_, other, names) => {
  expect(nameConflicts([site, other])).toEqual(
    names.map((name) => `site of m.ts and page of m.ts both have the ${name} in example.com`),
  );
});
