import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findTool } from '../../src/find-tool.ts';
import {
  checkPods,
  checkRules,
  checkSchemas,
  writeSchemas,
  type RenderedTarget,
} from '../../src/lint/checks.ts';
import { kindsOfDocument } from '../../src/lint/openapi-schemas.ts';
import type { ToolName } from '../../src/tool-sets.ts';
import { temporaryFolders } from '../temporary-folder.ts';

/* That the programs find what is wrong, as lint-deploy.ts calls them. */

const newFolder = temporaryFolders();

/** Defines a test that needs a program, and is skipped with the reason where it is not built. */
function testWith(name: ToolName, title: string, check: (path: string) => Promise<void>): void {
  const tool = findTool(name);
  if (tool.found) {
    test(title, () => check(tool.path));
  } else {
    test.skip(`${title}: ${tool.reason}`, () => undefined);
  }
}

async function targetsOf(texts: Readonly<Record<string, string>>): Promise<readonly RenderedTarget[]> {
  const folder = await newFolder();
  return Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const file = join(folder, `${name}.yaml`);
      await writeFile(file, text);
      return { name, file, text };
    }),
  );
}

describe('lint:deploy', () => {
  const kinds = kindsOfDocument({
    components: {
      schemas: {
        'a.Widget': {
          type: 'object',
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec: { allOf: [{ $ref: '#/components/schemas/a.WidgetSpec' }] },
          },
          'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
        },
        'a.WidgetSpec': { type: 'object', properties: { size: { type: 'integer' } } },
      },
    },
  });
  const widget = (kind: string, spec: string): string =>
    `apiVersion: example.com/v1\nkind: ${kind}\nmetadata:\n  name: one\nspec:\n  ${spec}\n`;

  testWith('kubeconform', 'a field or a kind that the API server does not know -> named', async (path) => {
    const schemas = await newFolder();
    const targets = await targetsOf({
      right: widget('Widget', 'size: 3'),
      'unknown field': `${widget('Widget', 'size: 3')}---\n${widget('Widget', 'sizes: 3')}`,
      'unknown kind': widget('Gadget', 'size: 3'),
    });
    await writeSchemas(schemas, kinds, targets);
    expect(await checkSchemas(path, schemas, targets)).toEqual([
      { subject: 'right', problems: [] },
      { subject: 'unknown field', problems: [expect.stringContaining("'sizes'")] },
      { subject: 'unknown kind', problems: [expect.stringContaining('could not find schema for Gadget')] },
    ]);
  });

  testWith(
    'kube-score',
    'a container without a memory limit -> named; an object without pods -> not asked',
    async (path) => {
      const targets = await targetsOf({
        job: 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: one\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: main\n          image: example.com/main:1\n',
        none: 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: one\n',
      });
      const verdicts = await checkPods(path, targets);
      expect(verdicts).toHaveLength(1);
      expect(verdicts[0]?.problems.join('\n')).toContain('Memory limit is not set');
      expect(verdicts[0]?.problems.join('\n')).not.toContain('CPU limit');
    },
  );

  testWith('promtool', 'a rule that does not parse -> what promtool says of it', async (path) => {
    const rules = (expr: string): string =>
      `groups:\n  - name: a\n    rules:\n      - alert: A\n        expr: ${expr}\n`;
    const files = (await targetsOf({ right: rules('up == 0'), wrong: rules('up ==') })).map(
      ({ name, file }) => [name, file] as const,
    );
    expect(await checkRules(path, files)).toEqual([
      { subject: 'right', problems: [] },
      { subject: 'wrong', problems: [expect.stringContaining('could not parse expression')] },
    ]);
  });
});
