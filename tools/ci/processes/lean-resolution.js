import module from 'node:module';

/*
 * Resolves an import between sources without access to the disk. For each of some two hundred modules, Node
 * would look up the real path and the package.json that states the type of the module. But no source is a
 * link, and all are ES modules.
 */
const root = new URL('../../../', import.meta.url).href;

module.registerHooks?.({
  resolve: (specifier, context, nextResolve) => {
    const { parentURL } = context;
    return specifier.startsWith('.') &&
      specifier.endsWith('.ts') &&
      parentURL?.startsWith(root) &&
      !parentURL.includes('/node_modules/')
      ? { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context);
  },
});
