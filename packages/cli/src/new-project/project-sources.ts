import type { ProjectNames } from './project-names.ts';

export function kindsText({ group, kind, many, plural }: ProjectNames): string {
  return `import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { z } from 'zod';

/** The kind that users write; \`npm run crd\` makes its CustomResourceDefinition. */
export const ${many} = defineResource({
  group: '${group}',
  version: 'v1alpha1',
  kind: '${kind}',
  plural: '${plural}',
  spec: z.object({ text: z.string() }),
  status: z.object({ text: z.string() }),
});

export type ${kind} = ObjectOf<typeof ${many}>;
`;
}

export function commandText({ operator, kind }: ProjectNames): string {
  return `import { appCommand } from '@holdfast/runtime';

export const command = appCommand({
  name: '${operator}',
  version: '0.1.0',
  description: 'looks after each ${kind}.',
  gates: {},
  flags: {},
});
`;
}

export function decideText({ kind }: ProjectNames): string {
  return `import type { ${kind} } from './kinds.ts';

/** What should exist for one object. */
export interface Decision {
  readonly map: {
    readonly metadata: { readonly name: string };
    readonly data: { readonly text: string };
  };
  readonly status: { readonly text: string };
}

/** Returns a ConfigMap with the object's name and text, and a status with that text. */
export function decide({ metadata: { name }, spec: { text } }: ${kind}): Decision {
  return { map: { metadata: { name }, data: { text } }, status: { text } };
}
`;
}

export function controllerText({ operator, one, many }: ProjectNames): string {
  return `import { configMaps } from '@holdfast/core';
import { objectController, type ProgramApp } from '@holdfast/runtime';
import { decide } from './decide.ts';
import { ${many} } from './kinds.ts';

const managed = { 'app.kubernetes.io/managed-by': '${operator}' };

/** A change of an object wakes it, and so does a change of its ConfigMap, which is deleted with the object. */
export function ${one}Controller(app: ProgramApp): void {
  const maps = app.watch(configMaps, { labelSelector: 'app.kubernetes.io/managed-by=${operator}' });

  objectController(app, {
    for: app.watch(${many}),
    owns: [maps],
    reconcile: async ({ object, apply, status }) => {
      const { map, status: wanted } = decide(object);
      await apply(maps, { ...map, metadata: { ...map.metadata, labels: managed } });
      await status(wanted);
      return undefined;
    },
  });
}
`;
}

export function mainText({ one }: ProjectNames): string {
  return `#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { runApp } from '@holdfast/runtime';
import { command } from './command.ts';
import { ${one}Controller } from './controller.ts';

await runApp(command, ${one}Controller);
`;
}
