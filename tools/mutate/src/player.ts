import { readFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type * as Circus from 'jest-circus';
import type { ModuleMocker } from 'jest-mock';
import type FastCheck from 'fast-check';
import { instrument, mutantSwitch } from './instrument.ts';
import type { FromPlayer, ToPlayer } from './messages.ts';
import { mutantsOf } from './mutants.ts';

/*
 * The process that plays the mutants of one file. It loads the file once with all mutants in it, lets jest's
 * own test framework collect the tests once, and runs them again for each mutant that is switched on. It ends
 * with its parent.
 */

const require = createRequire(import.meta.url);
const root = new URL('../../../', import.meta.url);

setPriority(10);
enableCompileCache(fileURLToPath(new URL('node_modules/.cache/holdfast-compiled', root)));
process.on('disconnect', () => process.exit());
process.once('message', (message) => void play(message as ToPlayer));

async function play({ file, tests, ids, loadedWith, testTimeout }: ToPlayer): Promise<void> {
  const send = (message: FromPlayer) => void process.send?.(message);
  try {
    const path = new URL(file, root);
    loadWithMutants(path);
    Reflect.set(globalThis, mutantSwitch, loadedWith);
    const run = await collect(tests, testTimeout);
    for (const id of loadedWith === undefined ? [undefined, ...ids] : ids) {
      send({ kind: 'begun', id });
      Reflect.set(globalThis, mutantSwitch, id);
      send({ kind: 'played', id, killedBy: await run() });
    }
    if (loadedWith === undefined) {
      Reflect.set(globalThis, mutantSwitch, undefined);
      send({ kind: 'atEnd', failed: await run() });
    }
  } catch (error) {
    send({ kind: 'notLoaded', why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  process.disconnect();
  process.exit();
}

/**
 * Resolves modules as this repository's jest runtime does (tools/ci/jest/modules.js); `file` is loaded with
 * its mutants in it.
 */
function loadWithMutants(path: URL): void {
  registerHooks({
    load(url, context, nextLoad) {
      // Ignores what tools/ci/jest adds to the address of a file in a folder `test`.
      if (url.replace(/\?.*/, '') !== path.href) {
        return nextLoad(url, context);
      }
      const text = readFileSync(path, 'utf8');
      return {
        format: 'module-typescript',
        source: instrument(text, mutantsOf(path.pathname, text)),
        shortCircuit: true,
      };
    },
  });
}

/** @returns a function that runs the tests until one fails, and returns its name; undefined if none does */
async function collect(
  tests: readonly string[],
  testTimeout: number,
): Promise<() => Promise<string | undefined>> {
  const { importTestFile } = (await import(new URL('tools/ci/jest/modules.js', root).href)) as {
    importTestFile(path: string): Promise<unknown>;
  };
  const { setGlobals } = (await import(new URL('tools/ci/jest/globals.js', root).href)) as {
    setGlobals(globals: object): void;
  };
  const circus = require('jest-circus') as typeof Circus;
  const { jestExpect } = require('@jest/expect') as { jestExpect: unknown };
  const mocker = new (require('jest-mock') as { ModuleMocker: typeof ModuleMocker }).ModuleMocker(globalThis);
  setGlobals({
    ...circus,
    expect: jestExpect,
    jest: { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker), setTimeout: () => undefined },
  });
  // A survivor has to survive again, so the seed is fixed here; in `npm test` it is random.
  const { default: fc } = (await import('fast-check')) as { default: typeof FastCheck };
  fc.configureGlobal({ seed: 19, endOnFailure: true });

  circus.resetState();
  for (const path of tests) {
    await importTestFile(new URL(path, root).pathname);
  }
  const state = circus.getState();
  state.testTimeout = testTimeout;
  let failed: string | undefined;
  circus.addEventHandler((event) => {
    if (event.name === 'test_done' && event.test.errors.length > 0) {
      failed ??= nameOf(event.test);
      // Skips the other tests.
      state.testNamePattern = /^(?!)/;
    }
  });
  return async () => {
    failed = undefined;
    state.testNamePattern = null;
    state.unhandledErrors = [];
    forgetErrors(state.rootDescribeBlock);
    const { unhandledErrors } = await circus.run();
    mocker.restoreAllMocks();
    return [failed, ...(unhandledErrors.length > 0 ? ['an error outside of tests'] : [])].find(
      (each) => each !== undefined,
    );
  };
}

function nameOf({
  name,
  parent,
}: Circus.State['rootDescribeBlock'] | Circus.State['rootDescribeBlock']['tests'][number]): string {
  return parent === undefined || parent.name === 'ROOT_DESCRIBE_BLOCK' ? name : `${nameOf(parent)} ${name}`;
}

/** Forgets what failed in the previous run. */
function forgetErrors(block: Circus.State['rootDescribeBlock']): void {
  for (const child of block.children) {
    if (child.type === 'describeBlock') {
      forgetErrors(child);
    } else {
      child.errors = [];
    }
  }
}
