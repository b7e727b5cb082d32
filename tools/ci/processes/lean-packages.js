import module from 'node:module';

/*
 * What packages load and neither the sources nor their tests use is left out, as in the bundles
 * (tools/bundle): client-node's 700 generated classes for its kubeconfig, undici's fetch, web sockets and
 * mocks for a connection, prom-client's exemplars, and all languages of zod but English. That was most of
 * the start of a process. A module that imports client-node's index or undici still gets everything, and so
 * does a package in another folder, which a test has installed.
 */
const root = new URL('../../../', import.meta.url);
const at = (path) => new URL(path, root).href;
const kubeconfig = at('node_modules/@kubernetes/client-node/dist/config.js');
const nothing = { url: at('tools/ci/processes/nothing.cjs'), format: 'commonjs' };

const dispatchers = {
  url: at('packages/runtime/test/fixtures/undici-dispatchers.js'),
  format: 'module',
};

const generated = {
  url: at('packages/runtime/test/fixtures/client-node-index.ts'),
  format: 'module-typescript',
};

/** By what is imported: what it is replaced by for modules whose URL begins so. */
const substitutes = {
  './gen/index.js': [[kubeconfig, generated]],
  undici: [
    [kubeconfig, dispatchers],
    [at('node_modules/@kubernetes/client-node/dist/gen/http/isomorphic-fetch.js'), dispatchers],
    [at('packages/runtime/src/client/transport.ts'), dispatchers],
  ],
  '@opentelemetry/api': [[at('node_modules/prom-client/'), nothing]],
  '../locales/index.js': [[at('node_modules/zod/v4/'), nothing]],
};

module.registerHooks?.({
  resolve: (specifier, context, nextResolve) => {
    const found = substitutes[specifier]?.find(([from]) => context.parentURL?.startsWith(from));
    return found === undefined ? nextResolve(specifier, context) : { ...found[1], shortCircuit: true };
  },
});
