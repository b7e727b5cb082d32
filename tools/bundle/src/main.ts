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

const runtime = join(import.meta.dirname, '../../../packages/runtime/src');

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
  // What Node's own copy of undici is built with: without the second HTTP parser, which is an experiment.
  define: { esbuildDetection: 'true' },
  plugins: [
    {
      // What no app calls, but loads: a few MiB of each process.
      name: 'left-out',
      setup: ({ onResolve, onLoad }) => {
        const leftOut = {
          '@opentelemetry/api': 'prom-client: exemplars',
          './lib/cluster': 'prom-client: metrics of several processes',
          './lib/pushgateway': 'prom-client: pushing',
          './lib/transport': 'pino: logging by a worker thread',
          './transport': 'pino: logging by a worker thread',
          './client-h2.js': 'undici: HTTP/2',
        };
        const names = Object.keys(leftOut).map((name) => name.replaceAll('.', '\\.'));
        onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path, importer }) =>
          /node_modules.(prom-client|pino|undici)./.test(importer)
            ? { path, namespace: 'left-out' }
            : undefined,
        );
        onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
          contents: `module.exports = () => { throw new Error('left out of the bundle: ${leftOut[path as keyof typeof leftOut]}'); };`,
        }));
      },
    },
    {
      // An import statement makes Node read every export of node:http, of which some load its own undici: 10 MiB that a
      // require leaves alone.
      name: 'require-http',
      setup: ({ onResolve, onLoad }) => {
        onResolve({ filter: /^(node:)?https?$/ }, ({ path, kind }) =>
          kind === 'import-statement' ? { path, namespace: 'require-http' } : undefined,
        );
        onLoad({ filter: /.*/, namespace: 'require-http' }, ({ path }) => ({
          contents: `module.exports = require('${path}');`,
        }));
      },
    },
    {
      // undici's index requires all of it: fetch, web sockets, mocks. A name that is missing here fails the build. Of
      // client-node's two users of fetch neither is called: what we take of it is the kubeconfig.
      name: 'only-dispatchers',
      setup: ({ onResolve, onLoad }) => {
        const parts = {
          Agent: 'dispatcher/agent.js',
          Pool: 'dispatcher/pool.js',
          ProxyAgent: 'dispatcher/proxy-agent.js',
          errors: 'core/errors.js',
        };
        onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'only-dispatchers' }));
        onLoad({ filter: /.*/, namespace: 'only-dispatchers' }, () => ({
          contents: [
            ...Object.entries(parts).map(
              ([name, file]) => `export { default as ${name} } from 'undici/lib/${file}';`,
            ),
            `export function fetch() { throw new Error('undici.fetch is left out of the bundle'); }`,
          ].join('\n'),
          resolveDir: process.cwd(),
        }));
      },
    },
    {
      // npm puts the same release in several places when jest's old one takes the first. The one that the runtime is tested with
      // serves client-node too, which only parses kubeconfigs with it.
      name: 'one-js-yaml',
      setup: ({ onResolve, resolve }) => {
        onResolve({ filter: /^js-yaml$/ }, ({ path, kind, pluginData }) =>
          pluginData === 'resolving'
            ? undefined
            : resolve(path, { resolveDir: runtime, kind, pluginData: 'resolving' }),
        );
      },
    },
    {
      // client-node's kubeconfig makes an agent for each credentials that it hands out, which no request of ours goes through.
      name: 'no-socks-agents',
      setup: ({ onResolve, onLoad }) => {
        onResolve({ filter: /^socks(-proxy-agent)?$/ }, ({ path }) => ({ path, namespace: 'no-socks' }));
        onLoad({ filter: /.*/, namespace: 'no-socks' }, () => ({
          contents: 'export class SocksProxyAgent {} export class SocksClient {}',
        }));
      },
    },
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
