import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { flushCompileCache } from 'node:module';
import { countCpuTime } from './cpu-time.js';
import { withPaths } from './modules.js';

/**
 * Test files run in the process itself, one after the other, and not each in a context of its own (see "Test files share a process" in
 * ARCHITECTURE.md). Afterwards it is put back as it was; a listener that is left behind, which might change what the next file sees,
 * fails the file.
 */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern;
  #restore = remember();
  #recordCpuTime;
  #signalListeners = new Set(signalListeners().map(({ listener }) => listener));

  constructor({ projectConfig }, { testPath }) {
    this.#recordCpuTime = countCpuTime(testPath);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Over the one of jest-runner, which looks for source maps: Node takes the types away and leaves every line where it is.
    Error.prepareStackTrace = (error, sites) =>
      withPaths([String(error), ...sites.map((site) => `    at ${String(site)}`)].join('\n'));
  }

  /** Called for each event of the test framework. */
  handleTestEvent(event, state) {
    if (event.name === 'run_finish') {
      const left = this.#removeSignalListeners();
      if (left.length > 0) {
        state.unhandledErrors.push(
          new Error(
            `listeners of ${left.join(', ')} are left behind: the test files after this one would have them too; remove them in afterEach`,
          ),
        );
      }
    }
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.#removeSignalListeners();
    this.#restore();
    // At the end of the process it would all be written at once, in more than the half second that jest gives a worker to end.
    flushCompileCache();
    this.#recordCpuTime();
  }

  /** Those that the test file has added; gives their signals. */
  #removeSignalListeners() {
    const added = signalListeners().filter(({ listener }) => !this.#signalListeners.has(listener));
    for (const { signal, listener } of added) {
      process.off(signal, listener);
    }
    return [...new Set(added.map(({ signal }) => signal))];
  }

  exportConditions() {
    return [];
  }

  /** There is none; jest asks for it only to measure coverage. */
  getVmContext() {
    return null;
  }
}

/** What a test file might change about the process; gives the function that undoes it. */
function remember() {
  const env = { ...process.env };
  const folder = process.cwd();
  const { exit, exitCode } = process;
  const { console } = globalThis;
  return () => {
    for (const name of Object.keys(process.env)) {
      if (!(name in env)) {
        delete process.env[name];
      }
    }
    Object.assign(process.env, env);
    process.chdir(folder);
    process.exit = exit;
    process.exitCode = exitCode;
    globalThis.console = console;
    // What jest.setTimeout has set.
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  };
}

/** Libraries leave other listeners, for the process's end, when they are loaded. */
function signalListeners() {
  return process
    .eventNames()
    .filter((event) => String(event).startsWith('SIG'))
    .flatMap((signal) => process.rawListeners(signal).map((listener) => ({ signal, listener })));
}
