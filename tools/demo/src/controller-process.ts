import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One of the apps, running as a process of its own as it would in a cluster. */
export interface RunningController {
  readonly app: string;
  /** Also the number of its process group; undefined: it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** The end of its log, for a story that failed. */
  lastLines(): Promise<string>;
  /** SIGTERM, and SIGKILL should it not have ended five seconds later. */
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Bundles the apps whose bundles are not there, or are not of their sources as they are now: nothing has to be built first, and a bundle
 * starts in a quarter of the CPU time that the sources take.
 *
 * @throws when one can't be bundled, after saying why on stderr.
 */
export async function bundleApps(apps: readonly string[]): Promise<void> {
  const bundling = spawn(
    process.execPath,
    ['tools/bundle/src/main.ts', '--if-changed', ...apps.map((app) => `apps/${app}`)],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = (await once(bundling, 'exit')) as [number | null];
  if (code !== 0) {
    throw new Error(`the bundles of ${apps.join(', ')} were not made: see above, and "npm run build"`);
  }
}

/** Starts the bundle of the app. */
export function startController(
  app: string,
  kubeconfig: string,
  logFile: string,
  args: readonly string[],
): RunningController {
  const main = join(root, 'apps', app, 'dist/main.js');
  const log = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [
      main,
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      '--log-format=pretty',
      ...args,
    ],
    // A group of its own: Ctrl-C in a terminal reaches the demo, which then stops the controller in good order.
    { stdio: ['ignore', log, log], detached: true },
  );
  closeSync(log);
  const ended = once(child, 'exit').then(() => undefined);
  return {
    app,
    pid: child.pid,
    ended,
    lastLines: async () => (await readFile(logFile, 'utf8')).split('\n').slice(-20).join('\n'),
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
