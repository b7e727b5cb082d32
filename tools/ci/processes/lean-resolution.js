import module from 'node:module';

/*
 * What an import of a source by a source leads to is known without a look at the disk: Node asks for the real path, and for the
 * package.json that says what kind of module it is, for each of some two hundred modules. No source is a link, and all are modules.
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
