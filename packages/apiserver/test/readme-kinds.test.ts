import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { customResourceDefinitions } from '../src/custom-resources/definition-resource.ts';
import { builtInResources } from '../src/resources/registry.ts';
import { type ResourceDefinition, apiVersionOf } from '../src/resources/resource-definition.ts';

// The table in the README is made from the code: when this fails, the one that it shows goes there.

const columns = [undefined, 'schema'] as const;
const heads = ['group', "by kube-apiserver's rules", 'by the schema alone'];

function kindsTable(): string {
  const served = [...builtInResources, customResourceDefinitions].filter(
    ({ verbs }) => verbs === undefined || verbs.includes('list'),
  );
  const groups = [...new Set(served.map(apiVersionOf))].sort();
  const namesOf = (group: string, validation: ResourceDefinition['validation']): string =>
    served
      .filter((definition) => apiVersionOf(definition) === group && definition.validation === validation)
      .map(({ kind }) => kind)
      .sort()
      .join(', ');
  const rows = [heads, ...groups.map((group) => [group, ...columns.map((column) => namesOf(group, column))])];
  const widths = heads.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)].join(
    '\n',
  );
}

test('table of kinds in the README -> as the code has it', () => {
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(kindsTable());
});
