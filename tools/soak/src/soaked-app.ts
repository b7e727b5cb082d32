import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The measured controller, as the process that users run: its bundle. */
export interface SoakedApp {
  /** The URL of its metrics. */
  readonly metricsUrl: string;
  /** Resolves when it has ended, with how it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /**
   * Returns lines on standard error that are not part of its log: Node's warnings, for example about
   * listeners that are never removed.
   */
  strayLines(): readonly string[];
  /** Returns the last lines that it wrote, for a run that failed. */
  lastLines(): string;
  /**
   * Sends SIGTERM, and SIGKILL after 15 seconds, since it has 10 seconds to finish. Resolves with how it
   * ended.
   */
  stop(): Promise<string>;
}

const root = join(import.meta.dirname, '..', '..', '..');
const stopLimit = 15_000;
const readyLimit = 30_000;

/**
 * Bundles the app.
 *
 * @throws if the build fails, with its output
 */
export async function buildApp(app: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['tools/bundle/src/main.ts', `apps/${app}`], { cwd: root });
}

/**
 * Starts the bundle with only PATH in its environment, because variables such as NODE_OPTIONS would affect
 * the measurement. Resolves when it serves its metrics.
 *
 * @throws if it ends before that, or does not serve them within half a minute, with the end of its log
 */
export async function startApp(app: string, kubeconfigFile: string): Promise<SoakedApp> {
  const child = spawn(
    process.execPath,
    [
      join(root, 'apps', app, 'dist', 'main.js'),
      `--kubeconfig=${kubeconfigFile}`,
      '--leader-elect=false',
      // The churn needs a higher rate than the default of 100, and a queue that merely waits shows nothing
      // new.
      '--kube-api-qps=-1',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: { PATH: process.env['PATH'] } },
  );
  const ended = once(child, 'exit').then(([code, signal]) =>
    signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`,
  );
  const last: string[] = [];
  const stray: string[] = [];
  const address = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      last.push(line);
      if (last.length > 20) {
        last.shift();
      }
      if (!line.startsWith('{')) {
        stray.push(line);
      } else if (line.includes('"purpose":"metrics"')) {
        resolve((JSON.parse(line) as { readonly address: string }).address);
      }
    });
    const late = setTimeout(() => reject(new Error('it does not serve metrics')), readyLimit);
    late.unref();
    void ended.then((how) => reject(new Error(how)));
  });
  const lastLines = (): string => last.join('\n');
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM');
    const overdue = setTimeout(() => child.kill('SIGKILL'), stopLimit);
    const how = await ended;
    clearTimeout(overdue);
    return how;
  };
  try {
    return {
      metricsUrl: `http://${await address}/metrics`,
      ended,
      strayLines: () => stray,
      lastLines,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`apps/${app} did not start: ${String(error)}\n${lastLines()}`, { cause: error });
  }
}
