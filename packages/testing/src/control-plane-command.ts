import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { ControlPlaneOptions } from './plane/control-plane.ts';
import { kubernetesReleases } from './plane/kubernetes-release.ts';

const usage = `holdfast-control-plane [--real [--release RELEASE]] [--port N] [--write-kubeconfig FILE]

Starts a Kubernetes control plane and serves until SIGINT or SIGTERM.

  --real                    etcd and kube-apiserver instead of the embedded API server
  --release RELEASE         which: ${kubernetesReleases.join(', ')} (default: the newest there is)
  --port N                  of the API server on 127.0.0.1 (default: a free one)
  --write-kubeconfig FILE   written when it serves, with a cluster admin's token (default: printed)
  --help
`;

class UsageError extends Error {}

interface Command {
  readonly plane: ControlPlaneOptions;
  readonly kubeconfigFile: string | undefined;
}

/** Throws UsageError, naming the flag, its value and what it may be. Undefined when help is asked for. */
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
  return {
    plane: {
      backend: values.real === true ? 'real' : 'embedded',
      ...(release === undefined ? undefined : { release }),
      ...(port === 0 ? undefined : { port }),
    },
    kubeconfigFile: values['write-kubeconfig'],
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        real: { type: 'boolean' },
        release: { type: 'string' },
        port: { type: 'string' },
        'write-kubeconfig': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The command of the package's bin. Resolves when it was stopped by a signal. A wrong flag sets the exit code 2; what keeps it
 * from serving is printed in one line and sets 1.
 */
export async function runControlPlaneCommand(args: readonly string[]): Promise<void> {
  let command: Command | undefined;
  try {
    command = readCommand(args);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  if (command === undefined) {
    process.stdout.write(usage);
    return;
  }
  try {
    await serve(command);
  } catch (error) {
    process.stderr.write(
      `holdfast-control-plane: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}

async function serve({ plane: options, kubeconfigFile }: Command): Promise<void> {
  // Asked for before the start, which a signal must not leave half done.
  const stop = stopRequest();
  const asked = once(stop, 'abort');
  // Not before: help and wrong flags are answered without loading a server.
  const { startControlPlane } = await import('./start-control-plane.ts');
  const plane = await startControlPlane(options);
  try {
    if (stop.aborted) {
      return;
    }
    if (kubeconfigFile === undefined) {
      process.stdout.write(`${plane.kubeconfig}\n`);
    } else {
      // Whoever waits for the file finds it whole.
      await writeFile(`${kubeconfigFile}.new`, plane.kubeconfig, { mode: 0o600 });
      await rename(`${kubeconfigFile}.new`, kubeconfigFile);
    }
    process.stderr.write(`serving on ${plane.url}\n`);
    await asked;
  } finally {
    await plane.stop();
  }
}

/** How often the command checks that its launcher is still there, milliseconds. */
const launcherPeriod = 500;

/**
 * Aborted by SIGINT and SIGTERM, and by the end of the shell that npm puts between itself and the command. A signal sent to
 * npx alone ends that shell, which passes none on: the server would outlive the command that started it.
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
