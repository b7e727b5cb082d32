import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A process that the demo started: one of the apps, running as it would in a cluster, or the tool that shows
 * what they do.
 */
export interface RunningProcess {
  readonly name: string;
  /** Also the number of its process group. Undefined if it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when the process has ended for whatever reason. */
  readonly ended: Promise<void>;
  /** Sends SIGTERM, and SIGKILL if the process has not ended five seconds later. */
  stop(): Promise<void>;
}

export interface RunningController extends RunningProcess {
  /** Returns the end of its log, for a story that failed. */
  lastLines(): Promise<string>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Bundles the folders whose bundles are missing or out of date, so that nothing has to be built first. A
 * bundle starts in a quarter of the CPU time that the sources take.
 *
 * @param folders below the root of the repository
 * @throws if one cannot be bundled, after printing the reason to stderr
 */
export async function bundle(folders: readonly string[]): Promise<void> {
  const bundling = spawn(process.execPath, ['tools/bundle/src/main.ts', '--if-changed', ...folders], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(bundling, 'exit')) as [number | null];
  if (code !== 0) {
    throw new Error(`the bundles of ${folders.join(', ')} were not made: see above, and "npm run build"`);
  }
}

/**
 * Starts the bundle of the app.
 *
 * @param isElected whether it takes its lease, which shows others that it is at work
 */
export function startController(
  app: string,
  kubeconfig: string,
  logFile: string,
  { args, isElected }: { readonly args: readonly string[]; readonly isElected: boolean },
): RunningController {
  const log = openSync(logFile, 'a');
  const started = startProcess(
    app,
    `apps/${app}`,
    [
      `--kubeconfig=${kubeconfig}`,
      isElected ? '--leader-elect-resource-namespace=default' : '--leader-elect=false',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      '--log-format=pretty',
      ...args,
    ],
    log,
  );
  closeSync(log);
  return {
    ...started,
    lastLines: async () => (await readFile(logFile, 'utf8')).split('\n').slice(-20).join('\n'),
  };
}

/**
 * Starts a command of `kubectl holdfast`.
 *
 * @param output a file, open for writing, that receives its output
 */
export function startTool(
  words: readonly [command: string, ...flags: string[]],
  kubeconfig: string,
  output: number,
): RunningProcess {
  const args = [...words, `--kubeconfig=${kubeconfig}`];
  return startProcess(`kubectl holdfast ${words[0]}`, 'tools/kubectl-holdfast', args, output);
}

/** @param output the file for stdout and stderr */
function startProcess(name: string, folder: string, args: readonly string[], output: number): RunningProcess {
  const child = spawn(process.execPath, [join(root, folder, 'dist/main.js'), ...args], {
    stdio: ['ignore', output, output],
    // The process gets a group of its own, so that Ctrl-C in a terminal reaches only the demo, which then
    // stops the process gracefully.
    detached: true,
  });
  const ended = once(child, 'exit').then(() => undefined);
  return {
    name,
    pid: child.pid,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
