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

/** The first release of Node with all that undici needs. */
const oldestNode = { major: 22, minor: 19 };
const oldest = `${String(oldestNode.major)}.${String(oldestNode.minor)}`;

const banner = [
  "import { createRequire as holdfastRequire } from 'node:module';",
  // An older Node fails while modules load, far from where anybody could tell why.
  '{',
  "  const [major, minor] = process.versions.node.split('.').map(Number);",
  `  if (major < ${String(oldestNode.major)} || (major === ${String(oldestNode.major)} && minor < ${String(oldestNode.minor)})) {`,
  `    process.stderr.write(\`${basename(app)}: Node ${oldest} or later is needed, this is \${process.versions.node}\\n\`);`,
  '    process.exit(2);',
  '  }',
  '}',
  // CommonJS packages within an ES module still call require for Node's own modules.
  'const require = holdfastRequire(import.meta.url);',
].join('\n');

await build({
  entryPoints: [join(app, 'src/main.ts')],
  outfile: join(app, 'dist/main.js'),
  bundle: true,
  platform: 'node',
  target: `node${oldest}`,
  format: 'esm',
  conditions: ['@holdfast/source'],
  sourcemap: 'linked',
  legalComments: 'linked',
  // Less source for V8 to hold: 6 MiB of a small process.
  minifyWhitespace: true,
  minifySyntax: true,
  // Node prints the whole line when it ends on an error that nobody caught.
  lineLimit: 160,
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
  banner: { js: banner },
  logLevel: 'warning',
});
process.stdout.write(`bundled ${basename(app)}\n`);
