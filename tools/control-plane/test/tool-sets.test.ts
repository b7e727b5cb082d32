import { expect, test } from '@jest/globals';
import { neededToolSets, toolSetNames, toolSets } from '../src/tool-sets.ts';

test('all -> every set but those that are built on demand', () => {
  const onDemand = toolSetNames.filter((name) => toolSets[name].onDemand === true);
  expect(onDemand).toEqual(['api-tests', 'csi-provisioner']);
  expect(neededToolSets).toEqual(toolSetNames.filter((name) => !onDemand.includes(name)));
});
