import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const runtime = join(import.meta.dirname, '../../../packages/runtime/src');

/** Modules that an app's packages load and no app uses, each with the reason. */
export const leftOut: readonly Plugin[] = [
  {
    // Code that is loaded but never called: a few MiB of each process.
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
    // An import statement makes Node read every export of node:http, some of which load Node's own undici. A
    // require leaves these 10 MiB alone.
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
    // undici's index requires everything: fetch, web sockets, mocks. If a name is missing here, the build
    // fails. client-node uses fetch in two places, neither of which is called, since apps use only its
    // kubeconfig.
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
          // undici's index adds the methods of its API to every dispatcher. The agent for proxies calls only
          // this one (H3).
          `import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';`,
          `import connect from 'undici/lib/api/api-connect.js';`,
          `Dispatcher.prototype.connect = connect;`,
          `export function fetch() { throw new Error('undici.fetch is left out of the bundle'); }`,
        ].join('\n'),
        resolveDir: process.cwd(),
      }));
    },
  },
  {
    // npm installs the same release in several places if jest's old one takes the first. The one with which
    // the runtime is tested also serves client-node, which only parses kubeconfigs with it.
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
    // client-node's kubeconfig creates an agent whenever it returns credentials, but no request goes through
    // such an agent.
    name: 'no-socks-agents',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^socks(-proxy-agent)?$/ }, ({ path }) => ({ path, namespace: 'no-socks' }));
      onLoad({ filter: /.*/, namespace: 'no-socks' }, () => ({
        contents: 'export class SocksProxyAgent {} export class SocksClient {}',
      }));
    },
  },
  {
    // client-node's renewal of OpenID Connect tokens is never used: a kubeconfig that would need it is
    // refused at the start.
    name: 'no-openid-client',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^openid-client$/ }, ({ path }) => ({ path, namespace: 'no-openid-client' }));
      onLoad({ filter: /.*/, namespace: 'no-openid-client' }, () => ({ contents: 'module.exports = {};' }));
    },
  },
  {
    // client-node's kubeconfig imports two names from an index that loads 700 generated classes. The tests
    // leave these classes out, too (jest.config.js). If a name is missing here, the build fails.
    name: 'only-configuration',
    setup: ({ onResolve, onLoad }) => {
      // The bundle contains this path, so it must be the same wherever the bundle is made.
      onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ resolveDir }) => ({
        path: 'gen',
        namespace: 'only-configuration',
        pluginData: join(resolveDir, 'gen'),
      }));
      onLoad({ filter: /.*/, namespace: 'only-configuration' }, ({ pluginData }) => ({
        contents: [
          `export { createConfiguration } from './configuration.js';`,
          `export { ServerConfiguration } from './servers.js';`,
        ].join('\n'),
        resolveDir: String(pluginData),
      }));
    },
  },
];
