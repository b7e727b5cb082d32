import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** An app as a process: the bundle that the test run made. */
export interface AppProcess {
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts the bundle of an app with nothing of our environment but the path.
 *
 * @param app folder below `apps/`
 */
export function startApp(app: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): AppProcess {
  const main = fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    exit: once(child, 'close').then((result) => {
      const [code, signal] = result as [number | null, NodeJS.Signals | null];
      return { code, signal };
    }),
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
  };
}
