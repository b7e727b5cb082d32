import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { RunningController } from './controllers/controller.ts';
import type { ControlPlaneOptions } from './plane/control-plane.ts';
import { kubernetesReleases } from './plane/kubernetes-release.ts';

const usage = `holdfast-control-plane [--real [--release RELEASE]] [--controllers LIST] [--port N]
                       [--write-kubeconfig FILE]

Starts a Kubernetes control plane and serves until SIGINT or SIGTERM.

  --real                    etcd and kube-apiserver instead of the embedded API server
  --release RELEASE         which: ${kubernetesReleases.join(', ')} (default: the newest there is)
  --controllers LIST        as kube-controller-manager takes it: names, * (default) for all, -name for all but it; or none.
                            The embedded API server has stand-ins for some of them
  --port N                  of the API server on 127.0.0.1 (default: a free one)
  --write-kubeconfig FILE   written when it serves, with a cluster admin's token (default: printed)
  --help
`;

class UsageError extends Error {}

interface Command {
  readonly plane: ControlPlaneOptions;
  /** The controllers, as in `--controllers`; empty for none. */
  readonly controllers: readonly string[];
  readonly kubeconfigFile: string | undefined;
}

/**
 * Returns undefined if help is asked for. Throws UsageError with the flag, its value and the values it can
 * have.
 */
function readCommand(args: readonly string[]): Command | undefined {
  const { values } = readFlags(args);
  if (values.help === true) {
    return undefined;
  }
  const release = kubernetesReleases.find((known) => known === values.release);
  if (values.release !== undefined && release === undefined) {
    throw new UsageError(`--release is "${values.release}": it may be ${kubernetesReleases.join(', ')}`);
  }
  if (release !== undefined && values.real !== true) {
    throw new UsageError('--release goes with --real: the embedded API server has one release');
  }
  const port = Number(values.port ?? 0);
  if (!/^\d+$/.test(values.port ?? '0') || port > 65535) {
    throw new UsageError(`--port is "${values.port ?? ''}": it may be 0 (a free one) to 65535`);
  }
  if (values['write-kubeconfig'] === '') {
    throw new UsageError('--write-kubeconfig is "": it must name a file');
  }
  const controllers = readControllers(values.controllers ?? '*');
  return {
    controllers,
    plane: {
      backend: values.real === true ? 'real' : 'embedded',
      // With the embedded back end the controllers are stand-ins, which are started separately.
      ...(values.real === true ? { controllers } : undefined),
      ...(release === undefined ? undefined : { release }),
      ...(port === 0 ? undefined : { port }),
    },
    kubeconfigFile: values['write-kubeconfig'],
  };
}

function readControllers(list: string): readonly string[] {
  const controllers = list === 'none' ? [] : list.split(',');
  if (controllers.includes('') || controllers.includes('none')) {
    throw new UsageError(
      `--controllers is "${list}": it may be names with commas between them, * for all, -name for all but it, or none alone`,
    );
  }
  return controllers;
}

/**
 * Runs only when the stand-ins are needed, because only their module knows their names, and help should not
 * load it.
 */
async function checkStandIns({ plane, controllers }: Command): Promise<void> {
  if (plane.backend === 'real' || controllers.length === 0) {
    return;
  }
  const { chooseStandIns } = await import('./controllers/stand-ins.ts');
  try {
    chooseStandIns(controllers);
  } catch (error) {
    throw new UsageError(`--controllers: ${messageOf(error)}`);
  }
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        real: { type: 'boolean' },
        release: { type: 'string' },
        controllers: { type: 'string' },
        port: { type: 'string' },
        'write-kubeconfig': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What surrounds the command. */
export interface Surroundings {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Called when the command begins to serve; it stops when the signal is aborted. */
  readonly stopRequest: () => AbortSignal;
}

interface TextStream {
  write(text: string): unknown;
}

/**
 * The command of the package's bin. Resolves when a signal has stopped it, with the exit code set.
 */
export async function runControlPlaneCommand(args: readonly string[]): Promise<void> {
  const { stdout, stderr } = process;
  if (args.includes('--help')) {
    // The reader of the text, such as `head`, might end before all of it is written.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') {
        stderr.write(`holdfast-control-plane: standard output can't be written: ${error.message}\n`);
        process.exitCode = 1;
      }
    });
  }
  const code = await controlPlaneCommand(args, { stdout, stderr, stopRequest });
  process.exitCode ??= code;
}

/**
 * Resolves with the exit code when the command has been stopped: 2 for a wrong flag; 1 if the control plane
 * cannot serve, and then the command prints the reason in one line.
 */
export async function controlPlaneCommand(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { stdout, stderr } = surroundings;
  let command: Command | undefined;
  try {
    command = readCommand(args);
    if (command !== undefined) {
      await checkStandIns(command);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    stderr.write(`${error.message}\n\n${usage}`);
    return 2;
  }
  if (command === undefined) {
    stdout.write(usage);
    return 0;
  }
  try {
    await serve(command, surroundings);
    return 0;
  } catch (error) {
    const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
    const reason =
      code === 'EADDRINUSE'
        ? `port ${String(port)} of 127.0.0.1 is in use; choose another with --port, or leave it out for a free one`
        : messageOf(error);
    stderr.write(`holdfast-control-plane: ${reason}\n`);
    return 1;
  }
}

async function serve(
  { plane: options, controllers, kubeconfigFile }: Command,
  { stdout, stderr, stopRequest: listen }: Surroundings,
): Promise<void> {
  // Listens for the stop request before the start, because a signal must not leave a start half done.
  const stop = listen();
  const asked = once(stop, 'abort');
  // Imported only here, so that help and wrong flags are answered without loading a server.
  const { controlPlaneMissing, startControlPlane } = await import('./start-control-plane.ts');
  const missing = controlPlaneMissing(options);
  if (missing !== undefined && controlPlaneMissing({ ...options, controllers: [] }) === undefined) {
    throw new Error(`${missing}; or take --controllers none`);
  }
  const plane = await startControlPlane(options);
  let standIns: readonly RunningController[] = [];
  try {
    if (options.backend === 'embedded' && controllers.length > 0) {
      const { startStandIns } = await import('./controllers/stand-ins.ts');
      standIns = await startStandIns(plane, controllers);
    }
    if (stop.aborted) {
      return;
    }
    if (kubeconfigFile === undefined) {
      stdout.write(`${plane.kubeconfig}\n`);
    } else {
      // Written under another name first, so that a program that waits for the file reads it only when it is
      // complete.
      try {
        await writeFile(`${kubeconfigFile}.new`, plane.kubeconfig, { mode: 0o600 });
        await rename(`${kubeconfigFile}.new`, kubeconfigFile);
      } catch (error) {
        // It holds the admin's token.
        await rm(`${kubeconfigFile}.new`, { force: true });
        throw new Error(`--write-kubeconfig: ${kubeconfigFile} can't be written: ${messageOf(error)}`);
      }
    }
    stderr.write(`serving on ${plane.url}\n`);
    await asked;
  } finally {
    try {
      await Promise.all(standIns.map((controller) => controller.stop()));
    } finally {
      await plane.stop();
    }
  }
}

/** How often the command checks that its launcher still runs, in milliseconds. */
const launcherPeriod = 500;

/**
 * Aborted by SIGINT and SIGTERM, and when the shell that npm runs the command in has ended. A signal that is
 * sent only to npx ends that shell, which does not pass it on: the server would outlive the command that
 * started it.
 */
function stopRequest(): AbortSignal {
  const stop = new AbortController();
  const ask = (): void => stop.abort();
  process.once('SIGINT', ask).once('SIGTERM', ask);
  if (process.env['npm_lifecycle_event'] !== undefined) {
    const launcher = process.ppid;
    setInterval(() => {
      if (process.ppid !== launcher) {
        ask();
      }
    }, launcherPeriod).unref();
  }
  return stop.signal;
}
