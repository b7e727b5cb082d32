import { join } from 'node:path';
import { binaryPath } from './binaries.ts';
import { featureGatesFlag } from './feature-gates-flag.ts';
import { onFreePort } from './free-port.ts';
import { probeHttps } from './https-probe.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, untilReady, type RunningProcess } from './process.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';
import { writeServingCertificate } from './serving-certificate.ts';

export interface ControllerManagerOptions {
  /**
   * As in `--controllers`: names such as `statefulset-controller`, `*` for those that are on by default, or
   * `-name` to exclude one.
   */
  readonly controllers: readonly string[];
  /** Requests per second that its clients may send. Default: kube-controller-manager's own, 20. */
  readonly kubeApiQps?: number;
  /** Requests that may exceed the rate for a moment. Default: kube-controller-manager's own, 30. */
  readonly kubeApiBurst?: number;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further flags. They come last, so they override the ones above. */
  readonly extraArgs?: readonly string[];
}

/** What kube-controller-manager needs from the control plane that it joins. */
export interface ControllerManagerSurroundings {
  /** The folder of the binaries. */
  readonly binaries: string;
  /** The control plane's own folder. */
  readonly folder: string;
  readonly guard: OrphanGuard;
  readonly kubeconfigFile: string;
  /** The bearer token for kube-controller-manager's own endpoints. */
  readonly token: string;
  readonly serviceAccountKeys: ServiceAccountKeys;
}

export const tokenController = 'serviceaccount-token-controller';

/**
 * Flags that save tests from waiting for periodic work. If the volume binder loses a write to another
 * controller, it retries the volume only at its next sync, by default up to 15 s later. And each controller's
 * client delays requests beyond 20 per second, which scenarios that run in parallel soon exceed.
 */
export const eagerFlags: readonly string[] = [
  '--pvclaimbinder-sync-period=1s',
  '--kube-api-qps=200',
  '--kube-api-burst=400',
];

/**
 * Returns whether the value of a `--controllers` list turns on this controller, given that it is on by
 * default.
 */
export function runsController(controllers: readonly string[], name: string): boolean {
  if (controllers.includes(name)) {
    return true;
  }
  return controllers.includes('*') && !controllers.includes(`-${name}`);
}

/**
 * Starts kube-controller-manager. Resolves when its /healthz lists every named controller as running.
 *
 * @throws ProcessFailedError for a controller that does not exist, or that does not start with these gates
 *   and flags
 */
export async function startKubeControllerManager(
  options: ControllerManagerOptions,
  surroundings: ControllerManagerSurroundings,
): Promise<RunningProcess> {
  const { folder } = surroundings;
  const ca = await writeServingCertificate(
    join(folder, 'controller-manager-certs'),
    'kube-controller-manager',
  );
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
        // As with kube-apiserver, no other server on this port has both the certificate and the token.
        const { status, body } = await probeHttps(
          `https://127.0.0.1:${port}/healthz?verbose`,
          surroundings.token,
          ca,
        );
        if (status !== 200) {
          return `/healthz answered ${status}: ${body.trim()}`;
        }
        // It serves for a moment before it has started its controllers.
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
    // If given the key, kube-controller-manager runs the token controller even if it is not among the chosen
    // ones.
    ...(runsController(options.controllers, tokenController)
      ? [`--service-account-private-key-file=${surroundings.serviceAccountKeys.privateKeyFile}`]
      : []),
    ...(options.kubeApiQps === undefined ? [] : [`--kube-api-qps=${options.kubeApiQps}`]),
    ...(options.kubeApiBurst === undefined ? [] : [`--kube-api-burst=${options.kubeApiBurst}`]),
    ...featureGatesFlag(options.featureGates ?? {}),
    ...(options.extraArgs ?? []),
  ];
}
