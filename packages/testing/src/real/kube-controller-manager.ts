import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryPath } from './binaries.ts';
import { featureGatesFlag } from './feature-gates-flag.ts';
import { onFreePort } from './free-port.ts';
import { probeHttps } from './https-probe.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, untilReady, type RunningProcess } from './process.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';

export interface ControllerManagerOptions {
  /** As in `--controllers`: names such as `statefulset-controller`, `*` for the default ones, `-name` for all but it. */
  readonly controllers: readonly string[];
  /** Requests per second that its clients may send; default its own, 20. */
  readonly kubeApiQps?: number;
  /** Requests that may exceed the rate for a moment; default its own, 30. */
  readonly kubeApiBurst?: number;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further flags, put last, so they win over those above. */
  readonly extraArgs?: readonly string[];
}

/** What it finds in the control plane that it joins. */
export interface ControllerManagerSurroundings {
  /** The folder with the binaries. */
  readonly binaries: string;
  /** The control plane's own folder. */
  readonly folder: string;
  readonly guard: OrphanGuard;
  readonly kubeconfigFile: string;
  /** A token that its own endpoints take. */
  readonly token: string;
  readonly serviceAccountKeys: ServiceAccountKeys;
}

export const tokenController = 'serviceaccount-token-controller';

/**
 * Flags for tests, which need not wait for what is done again after a time. The volume binder that loses a write to another controller takes
 * the volume up again with its next sync only, after 15 s by default. And a controller's client holds requests back beyond 20 in a second, which scenarios side by
 * side soon ask for.
 */
export const eagerFlags: readonly string[] = [
  '--pvclaimbinder-sync-period=1s',
  '--kube-api-qps=200',
  '--kube-api-burst=400',
];

/** Whether a list as `--controllers` takes it switches on the controller that is on by default. */
export function runsController(controllers: readonly string[], name: string): boolean {
  if (controllers.includes(name)) {
    return true;
  }
  return controllers.includes('*') && !controllers.includes(`-${name}`);
}

/**
 * Resolves when every controller named runs, by the list that its /healthz gives.
 *
 * @throws ProcessFailedError for a controller that does not exist, or that does not start under the gates and flags given
 */
export async function startKubeControllerManager(
  options: ControllerManagerOptions,
  surroundings: ControllerManagerSurroundings,
): Promise<RunningProcess> {
  const { folder } = surroundings;
  const certificate = join(folder, 'controller-manager-certs', 'kube-controller-manager.crt');
  const named = options.controllers.filter((name) => name !== '*' && !name.startsWith('-'));

  return onFreePort(async (port) => {
    const running = await startProcess({
      name: 'kube-controller-manager',
      command: binaryPath(surroundings.binaries, 'kube-controller-manager'),
      cwd: folder,
      guard: surroundings.guard,
      args: flags(options, surroundings, port),
    });
    await untilReady(running, async () => {
      try {
        const ca = await readFile(certificate, 'utf8');
        const { status, body } = await probeHttps(
          `https://127.0.0.1:${port}/healthz?verbose`,
          surroundings.token,
          ca,
        );
        if (status !== 200) {
          return `/healthz answered ${status}: ${body.trim()}`;
        }
        // It serves a moment before it starts them.
        if (!/^\[\+\]\S+-controller ok$/m.test(body)) {
          return '/healthz names no controller yet';
        }
        const absent = named.filter((name) => !body.includes(`[+]${name} ok`));
        return absent.length === 0 ? 'ready' : `/healthz does not name ${absent.join(', ')}`;
      } catch (error) {
        return String(error);
      }
    });
    return running;
  });
}

function flags(
  options: ControllerManagerOptions,
  surroundings: ControllerManagerSurroundings,
  port: number,
): string[] {
  const { kubeconfigFile } = surroundings;
  return [
    `--kubeconfig=${kubeconfigFile}`,
    `--authentication-kubeconfig=${kubeconfigFile}`,
    `--authorization-kubeconfig=${kubeconfigFile}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--cert-dir=controller-manager-certs',
    '--leader-elect=false',
    '--use-service-account-credentials=false',
    '--root-ca-file=certs/apiserver.crt',
    `--controllers=${options.controllers.join(',')}`,
    // Given the key it runs the token controller whether or not it is among those chosen.
    ...(runsController(options.controllers, tokenController)
      ? [`--service-account-private-key-file=${surroundings.serviceAccountKeys.privateKeyFile}`]
      : []),
    ...(options.kubeApiQps === undefined ? [] : [`--kube-api-qps=${options.kubeApiQps}`]),
    ...(options.kubeApiBurst === undefined ? [] : [`--kube-api-burst=${options.kubeApiBurst}`]),
    ...featureGatesFlag(options.featureGates ?? {}),
    ...(options.extraArgs ?? []),
  ];
}
