import { expect, test } from '@jest/globals';
import { below, type SchemaContext } from '../../src/custom-resource/schema-context.ts';

const at = (path: string): SchemaContext => ({
  path,
  ancestors: [],
  problems: [],
  convert: () => ({}),
});

test.each([
  ['', '.spec', 'spec'],
  ['', '[]', '[]'],
  ['spec', '.ports', 'spec.ports'],
  ['spec.ports', '[]', 'spec.ports[]'],
  ['spec.ports[]', '.*', 'spec.ports[].*'],
])('"%s", and "%s" below it -> "%s"', (path, part, whole) => {
  expect(below(at(path), part).path).toBe(whole);
});
