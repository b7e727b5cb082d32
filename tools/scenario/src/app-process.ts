import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

/** A process that runs an app as it is shipped, from the bundle that this test run made. */
export interface AppProcess {
  readonly exit: Promise<ProcessExit>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Sends the signal, and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<ProcessExit>;
  /**
   * Resolves with the address `host:port` of a server, once the process has logged it: `metrics`,
   * `health-probe` or `webhook`.
   *
   * @throws if the process ends before that; after 20 s
   */
  address(purpose: string): Promise<string>;
  /** Reads its present metrics, in the text format. */
  metrics(): Promise<string>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function ofTheRun(): NodeJS.ProcessEnv {
  const names = ['PATH', 'NODE_COMPILE_CACHE', 'HOLDFAST_CLOCK_SHIFT'];
  return {
    ...Object.fromEntries(
      names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
    // Makes sources start faster, but only costs time when a bundle is started.
    NODE_OPTIONS: process.env['NODE_OPTIONS']?.replace(/--import=\S*\/processes\/lean\.js/, ''),
  };
}

/**
 * Starts the bundle of an app. Of our environment it gets only PATH and what the test run sets for all its
 * processes: the folder of compiled code, and the day (`npm run test:elsewhere`).
 *
 * @param app folder below `apps/`
 */
export function startApp(app: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): AppProcess {
  const main = fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ofTheRun(), HOME: '/nonexistent', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  let hasEnded = false;
  const exit = once(child, 'close').then((result): ProcessExit => {
    hasEnded = true;
    const [code, signal] = result as [number | null, NodeJS.Signals | null];
    return { code, signal };
  });
  const address = async (purpose: string): Promise<string> => {
    const logged = new RegExp(`"purpose":"${purpose}","address":"([^"]+)"`);
    let found: string | undefined;
    await eventually(`${app} serves its ${purpose}`, () => {
      found = logged.exec(stderr)?.[1];
      if (found === undefined && hasEnded) {
        throw new Error(`${app} has ended by itself (is apps/${app}/dist built?): ${stderr}`);
      }
      return found !== undefined;
    });
    return found ?? '';
  };
  return {
    exit,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
    end: (signal) => {
      child.kill(signal);
      return exit;
    },
    address,
    metrics: async () => {
      const url = `http://${await address('metrics')}/metrics`;
      // Uses a new connection: the app closes a kept one after 5 s, and a request sent at that moment would
      // be reset.
      return (await fetch(url, { headers: { connection: 'close' } })).text();
    },
  };
}
