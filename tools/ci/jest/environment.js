import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { flushCompileCache } from 'node:module';
import { countCpuTime } from './cpu-time.js';
import { withPaths } from './modules.js';

if (process.send !== undefined) {
  // A worker with nothing left to do ends at once. Otherwise Node first takes the heap apart, for longer than the
  // half second that jest gives a worker to end.
  process.once('beforeExit', () => process.exit());
}

/**
 * Test files run one after the other in the process itself, instead of each in a context of its own (see
 * "Test files share a process" in ARCHITECTURE.md). After each file the process is restored to its earlier
 * state. A listener that a file leaves behind fails the file, since it might affect the next one.
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
    // Replaces that of jest-runner, which looks for source maps. None are needed: Node strips the types and
    // leaves every line where it is.
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
    // Otherwise everything would be written at the end of the process, which takes longer than the half
    // second that jest gives a worker to end.
    flushCompileCache();
    this.#recordCpuTime();
  }

  /** Removes the listeners that the test file has added; returns their signals. */
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

  /** There is no context; jest asks for it only to measure coverage. */
  getVmContext() {
    return null;
  }
}

/** Remembers what a test file might change in the process; returns the function that restores it. */
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
    // Set by jest.setTimeout.
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  };
}

/** Only these signals: libraries add other listeners, for the end of the process, when they are loaded. */
function signalListeners() {
  return process
    .eventNames()
    .filter((event) => String(event).startsWith('SIG'))
    .flatMap((signal) => process.rawListeners(signal).map((listener) => ({ signal, listener })));
}
