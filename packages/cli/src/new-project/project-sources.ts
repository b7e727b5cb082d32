import type { ProjectNames } from './project-names.ts';

export function kindsText({ group, kind, many, plural }: ProjectNames): string {
  return `import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { z } from 'zod';

/** What users write; \`npm run crd\` makes the CustomResourceDefinition of it. */
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

export function decideText({ kind, one }: ProjectNames): string {
  return `import { isTerminating, type ConfigMap } from '@holdfast/core';
import type { ${kind} } from './kinds.ts';

/** All that the decision rests on, as the caches have it; undefined: it is not there. */
export interface Snapshot {
  readonly ${one}: ${kind} | undefined;
  readonly map: ConfigMap | undefined;
}

export type Decision =
  | { readonly kind: 'none'; readonly reason: 'Gone' | 'UpToDate' }
  | { readonly kind: 'applyMap'; readonly ${one}: ${kind} }
  | { readonly kind: 'report'; readonly ${one}: ${kind}; readonly text: string };

/**
 * The map goes with its owner: the garbage collector sees to that.
 *
 *     object            map               status       answer
 *     gone, or going    -                 -            none
 *     there             none, other text  -            applyMap
 *     there             its text          other text   report
 *     there             its text          its text     none
 */
export function decide({ ${one}, map }: Snapshot): Decision {
  if (${one} === undefined || isTerminating(${one})) {
    return { kind: 'none', reason: 'Gone' };
  }
  const { text } = ${one}.spec;
  if (map?.data?.['text'] !== text) {
    return { kind: 'applyMap', ${one} };
  }
  return ${one}.status?.text === text ? { kind: 'none', reason: 'UpToDate' } : { kind: 'report', ${one}, text };
}
`;
}

export function controllerText({ operator, kind, one, many }: ProjectNames): string {
  return `import { configMaps, guardedPatch, objectKey, ownerReference, parseKey } from '@holdfast/core';
import { createProjection, guardedWrite, resultOfWrite, wake, type ProgramApp } from '@holdfast/runtime';
import { decide } from './decide.ts';
import { ${many}, type ${kind} } from './kinds.ts';

const label = 'app.kubernetes.io/managed-by';
const me = '${operator}';

/** The fields that are read: no others are kept in memory. */
const slim${kind} = createProjection<${kind}>(${many}, {
  metadata: { deletionTimestamp: true },
  spec: { text: true },
  status: { text: true },
});
const slimMap = createProjection(configMaps, { data: { text: true } });

/** A change of the object, or of its map, which has its name, wakes its key. */
export function ${one}Controller({ client, logger, watch, controller }: ProgramApp): void {
  const all = watch(${many}, slim${kind});
  const maps = watch(configMaps, slimMap, {}, { labelSelector: \`\${label}=\${me}\` });

  controller({
    wakes: [wake(all, { present: objectKey }), wake(maps, { present: objectKey, deleted: objectKey })],
    reconcile: async (key, _batch, signal) => {
      const ref = parseKey(key);
      const decision = decide({ ${one}: all.store.get(key), map: maps.store.get(key) });
      switch (decision.kind) {
        case 'none':
          return { kind: 'done' };
        case 'applyMap': {
          const owner = ownerReference(${many}, decision.${one}, { metadata: ref }, { controller: true });
          const applied = await client.apply(
            configMaps,
            ref,
            {
              metadata: { labels: { [label]: me }, ownerReferences: [owner] },
              data: { text: decision.${one}.spec.text },
            },
            { fieldManager: me, force: true, signal },
          );
          if (applied.kind === 'conflict') {
            return { kind: 'lookAgain', reason: 'others own fields of the map' };
          }
          logger.info({ key }, 'Map applied');
          return resultOfWrite(applied);
        }
        case 'report': {
          const status = { text: decision.text };
          const patch = guardedPatch(decision.${one}, [{ op: 'add', path: '/status', value: status }]);
          return resultOfWrite(
            await guardedWrite(() => client.patch(${many}, ref, patch, { subresource: 'status', signal })),
          );
        }
      }
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
