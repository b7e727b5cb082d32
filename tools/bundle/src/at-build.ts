import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * Runs modules with the suffix `.at-build.ts` while the bundle is made, and replaces each of them with what
 * it exports. Such a module can read files that a bundle does not have next to it. Its exports must be JSON
 * data.
 */
export const atBuild: Plugin = {
  name: 'at-build',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.at-build\.ts$/ }, async ({ path }) => {
      const exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
      return {
        contents: Object.entries(exported)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join('\n'),
      };
    }),
};
