import module from 'node:module';

/*
 * An import statement makes Node read each export of its own modules. Three exports of node:http load the
 * whole of Node's fetch, which takes 40 ms of CPU time in each process. No code imports them from there,
 * since they are globals, too.
 */
const unused = ['WebSocket', 'CloseEvent', 'MessageEvent'];
let isLean = false;

module.registerHooks?.({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === 'node:http' && !isLean) {
      // Set first, because the code that gets the module might ask for it again.
      isLean = true;
      const http = process.getBuiltinModule(specifier);
      for (const name of unused) {
        delete http[name];
      }
    }
    return nextResolve(specifier, context);
  },
});
