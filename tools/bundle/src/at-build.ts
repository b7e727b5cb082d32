import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * A module whose name ends in `.at-build.ts` is run while the bundle is made, and what it exports takes its place: it reads files that a bundle
 * does not have beside it. Its exports are data, as JSON has it.
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
