import module from 'node:module';

/*
 * In processes that run from sources, client-node's kubeconfig is loaded without the 700 generated classes,
 * as in the bundles: they took half of the start of such a process. A module that imports client-node's index
 * still gets everything, and so does a client-node in another folder, which a test has installed.
 */
const root = new URL('../../../', import.meta.url);
const kubeconfig = new URL('node_modules/@kubernetes/client-node/dist/config.js', root).href;
const index = new URL('packages/runtime/test/fixtures/client-node-index.ts', root).href;

module.registerHooks?.({
  resolve: (specifier, context, nextResolve) =>
    specifier === './gen/index.js' && context.parentURL === kubeconfig
      ? { url: index, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
});
