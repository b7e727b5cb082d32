import module from 'node:module';

/*
 * To processes that run from sources, client-node's kubeconfig comes without the 700 generated classes, as it comes to the
 * bundles. They were half of what such a process took to start. Who imports client-node's index gets all of it still, and so does a
 * client-node of another folder, which a test has installed.
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
