import { createRequire } from 'node:module';
import JestRuntime from 'jest-runtime';
import { setGlobals } from './globals.js';
import { importTestFile } from './modules.js';

const require = createRequire(import.meta.url);

/**
 * Jest's runtime, which leaves the loading of modules to Node. Runner, reporters and the test framework stay jest's own; only what they
 * ask of the runtime is answered otherwise.
 */
export default class NativeRuntime extends JestRuntime {
  /** The test framework (jest-circus): its tests, hooks and settings are kept in the module, so each test file has it anew. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete require.cache[path];
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    setGlobals(this.requireModuleOrMock(path, '@jest/globals'));
    return importTestFile(path);
  }
}
