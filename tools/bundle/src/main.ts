import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles an app into one file that runs with nothing beside it but Node: `node tools/bundle/src/main.ts apps/<app>`.
 */
const [app] = process.argv.slice(2);
if (app === undefined) {
  process.stderr.write('bundle: name the folder of an app, for example apps/pvc-protection\n');
  process.exit(2);
}

await build({
  entryPoints: [join(app, 'src/main.ts')],
  outfile: join(app, 'dist/main.js'),
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  conditions: ['@holdfast/source'],
  sourcemap: 'linked',
  legalComments: 'linked',
  // Less source for V8 to hold: 6 MiB of a small process.
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [
    {
      // client-node's generated models have no side effects but do not say so: all 700 of them would be kept.
      name: 'drop-unused-models',
      setup: ({ onResolve, resolve }) => {
        onResolve({ filter: /\.js$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
          if (pluginData === 'resolving' || !importer.includes('@kubernetes/client-node/dist')) {
            return undefined;
          }
          const resolved = await resolve(path, { importer, resolveDir, kind, pluginData: 'resolving' });
          return { ...resolved, sideEffects: false };
        });
      },
    },
  ],
  // CommonJS packages within an ES module still call require for Node's own modules.
  banner: {
    js: "import { createRequire as holdfastRequire } from 'node:module';\nconst require = holdfastRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
process.stdout.write(`bundled ${basename(app)}\n`);
