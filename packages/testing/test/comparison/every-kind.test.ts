import { expect, test } from '@jest/globals';
import { builtInResources } from '../../../apiserver/src/resources/registry.ts';
import { apiVersionOf, verbsOf } from '../../../apiserver/src/resources/resource-definition.ts';
import { builtInKinds } from './random-requests.ts';

const nameOf = (apiVersion: string, plural: string): string => `${apiVersion} ${plural}`;

test('every kind that is created and stays -> random requests are about it', () => {
  const stored = builtInResources.filter((definition) => {
    const verbs = verbsOf(definition);
    return verbs.includes('create') && verbs.includes('list');
  });
  expect(builtInKinds.map(({ apiVersion, plural }) => nameOf(apiVersion, plural)).toSorted()).toEqual(
    stored.map((definition) => nameOf(apiVersionOf(definition), definition.plural)).toSorted(),
  );
});
