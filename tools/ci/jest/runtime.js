import { createRequire } from 'node:module';
import JestRuntime from 'jest-runtime';
import { setGlobals } from './globals.js';
import { importTestFile } from './modules.js';

const require = createRequire(import.meta.url);

/**
 * Jest's runtime, except that Node loads the modules. Jest's own runner, reporters and test framework are
 * used; this class only answers differently what they ask of the runtime.
 */
export default class NativeRuntime extends JestRuntime {
  /**
   * Loads a new instance of the test framework (jest-circus) for each test file, because it keeps its tests,
   * hooks and settings in the module.
   */
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
