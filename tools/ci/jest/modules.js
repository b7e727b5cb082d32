import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
// For processes that tests start, the global setup does this.
import '../processes/lean.js';

/*
 * How modules are found and kept while Node itself, and not jest, loads the tests:
 *
 * - Packages and sources are loaded once in a process. Modules of a `test` folder, which have hooks of jest and state
 *   of their own, are loaded anew for each test file: a query in the address tells them apart.
 * - `@holdfast/...` is the package's source, as `--conditions=@holdfast/source` would have it.
 * - `@jest/globals` is what the test file that runs has, see globals.js.
 */
const globals = new URL('globals.js', import.meta.url).href;
const mark = '?test-file=';
/** How many times each test file was loaded, which is more than once if jest watches. */
const loaded = new Map();

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === '@jest/globals') {
      return { url: globals, format: 'module', shortCircuit: true };
    }
    if (specifier.startsWith('@holdfast/')) {
      return nextResolve(specifier, { ...context, conditions: ['@holdfast/source', ...context.conditions] });
    }
    const resolved = nextResolve(specifier, context);
    const [, testFile] = context.parentURL?.split(mark) ?? [];
    return testFile !== undefined && specifier.startsWith('.') && resolved.url.includes('/test/')
      ? { ...resolved, url: `${resolved.url}${mark}${testFile}` }
      : resolved;
  },
});

/**
 * Loads a test file and the modules of `test` folders that it imports, each as a new instance. Their
 * addresses are the same in each run, because Node's compile cache uses them as keys.
 *
 * @param {string} path of the file.
 */
export function importTestFile(path) {
  const times = (loaded.get(path) ?? 0) + 1;
  loaded.set(path, times);
  const { href, pathname } = pathToFileURL(path);
  return import(`${href}${mark}${pathname}${times === 1 ? '' : `#${times}`}`);
}

/**
 * Returns a stack with paths in place of Node's addresses, so that jest finds the lines to show.
 *
 * @param {string} stack
 */
export function withPaths(stack) {
  return stack.replaceAll(/file:\/\/([^\s:?]+)(\?test-file=[^\s:]+)?/g, (_, path) => decodeURI(path));
}
