import {
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  statefulSets,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { createProjection, type ConnectedClient } from '@holdfast/runtime';
import type { Kind } from '../command-line/request.ts';
import { completionOf, type Completion, type Suggestion } from './completion.ts';

/** What completion asks if static words are not enough. */
export interface Sources {
  /** Connects to the cluster that the flags among the words choose. */
  readonly client: () => ConnectedClient;
  /** Returns the namespace that the flags among the words choose, or that of the context. */
  readonly namespace: () => string;
  readonly contexts: () => readonly string[];
}

const resources = {
  pvc: persistentVolumeClaims,
  pv: persistentVolumes,
  sts: statefulSets,
  sc: storageClasses,
  namespace: namespaces,
} as const satisfies Readonly<Record<Kind | 'namespace', ApiResource<KubernetesObject>>>;

/** How many milliseconds a completion may wait for names, and how many names are useful as suggestions. */
const patience = 2_000;
const most = 500;

/** Cobra's directives, which kubectl passes on to the shell: suggest no file names, or behave as usual. */
const directives = { words: ':4', files: ':0' } as const;

/**
 * Returns the lines that kubectl expects from a plugin's completion: one word per line, with its description
 * after a tab, and a directive for the shell at the end. What the cluster does not answer in time is left
 * out, because an error at the prompt would only disturb.
 */
export async function complete(words: readonly string[], sources: Sources): Promise<string> {
  const completion = completionOf(words);
  if (completion.kind === 'files') {
    return `${directives.files}\n`;
  }
  const typed = words.at(-1) ?? '';
  const suggestions = await suggestionsOf(completion, sources).catch(() => []);
  return [
    ...suggestions
      .filter(([word]) => word.startsWith(typed))
      .map(([word, what]) => (what === undefined ? word : `${word}\t${what}`)),
    directives.words,
    '',
  ].join('\n');
}

async function suggestionsOf(
  completion: Exclude<Completion, { readonly kind: 'files' }>,
  { client, namespace, contexts }: Sources,
): Promise<readonly Suggestion[]> {
  switch (completion.kind) {
    case 'words':
      return completion.words;
    case 'contexts':
      return contexts().map((each) => [`${completion.prefix}${each}`]);
    case 'names': {
      const { of, prefix, taken } = completion;
      const resource: ApiResource<KubernetesObject> = resources[of];
      const connected = client();
      try {
        const { items } = await connected.list(resource, {
          ...(resource.namespaced ? { namespace: namespace() } : {}),
          ...{ limit: most, resourceVersion: '0', projection: createProjection(resource, {}) },
          signal: AbortSignal.timeout(patience),
        });
        return items.flatMap(({ metadata: { name } }) =>
          taken.includes(name) ? [] : [[`${prefix}${name}`] as const],
        );
      } finally {
        await connected.close();
      }
    }
  }
}
