import module from 'node:module';

/*
 * An import statement makes Node read each export of its own modules, and three of node:http load the whole of Node's fetch, 40 ms of CPU
 * time in each process. Nobody takes them from there: they are globals too.
 */
const unused = ['WebSocket', 'CloseEvent', 'MessageEvent'];
let isLean = false;

module.registerHooks?.({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === 'node:http' && !isLean) {
      // First, as what gets the module might ask for it in its turn.
      isLean = true;
      const http = process.getBuiltinModule(specifier);
      for (const name of unused) {
        delete http[name];
      }
    }
    return nextResolve(specifier, context);
  },
});
