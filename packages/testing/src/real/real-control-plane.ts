import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane, ControlPlaneOptions } from '../plane/control-plane.ts';
import { binaryPath, findBinaries, missingBinaries, type BinaryName } from './binaries.ts';
import { startEtcd } from './etcd.ts';
import { auditLog, startKubeApiServer } from './kube-apiserver.ts';
import {
  eagerFlags,
  runsController,
  startKubeControllerManager,
  tokenController,
  type ControllerManagerOptions,
} from './kube-controller-manager.ts';
import { tokenKubeconfig } from './kubeconfig.ts';
import { runKubectl, type KubectlOptions, type KubectlResult } from './kubectl.ts';
import { startOrphanGuard } from './orphan-guard.ts';
import type { RunningProcess } from './process.ts';
import { writeServiceAccountKeys } from './service-account-keys.ts';

export interface RealControlPlaneOptions extends Omit<ControlPlaneOptions, 'backend'> {
  /** Admission plugins turned on besides kube-apiserver's own, by name, e.g. ['OwnerReferencesPermissionEnforcement']. Default none. */
  readonly enableAdmissionPlugins?: readonly string[];
  /**
   * Rules of an audit policy (audit.k8s.io/v1), the first that matches a request decides: `[{ level: 'Metadata', verbs: ['patch'] }, {
   * level: 'None' }]`. An event is in `auditLogFile` before its request is answered. Default: nothing is audited.
   */
  readonly auditRules?: readonly object[];
}

/** etcd, kube-apiserver and, where wanted, kube-controller-manager, on loopback, in a folder of their own. */
export interface RealControlPlane extends ControlPlane {
  readonly backend: 'real';
  /** `kubeconfig` in a file, for programs that want a path; it is removed by `stop()`. */
  readonly kubeconfigFile: string;
  /** What `auditRules` choose, one event a line, as JSON; undefined without them. It is removed by `stop()`. */
  readonly auditLogFile: string | undefined;
  /** The pid of the kube-apiserver that serves now; another one after a restart. */
  readonly apiServerPid: number;
  /** undefined while no kube-controller-manager runs. */
  readonly controllerManagerPid: number | undefined;
  /**
   * Resolves when every controller named runs.
   *
   * @throws when one runs already, and for a controller that does not exist or does not start
   */
  startControllerManager(options: ControllerManagerOptions): Promise<void>;
  /** Nothing happens when none runs. */
  stopControllerManager(): Promise<void>;
  /** Runs kubectl as cluster admin; a command that fails is a result, not an error. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
}

/** The programs that a control plane with these options cannot do without; kubectl is missed when it is called. */
export function neededBinaries(options: RealControlPlaneOptions): readonly BinaryName[] {
  const withControllers = (options.controllers ?? []).length > 0;
  return ['etcd', 'kube-apiserver', ...(withControllers ? (['kube-controller-manager'] as const) : [])];
}

/**
 * Ready in some 4 seconds. Service account tokens are mounted into pods (the ServiceAccount admission plugin) only where
 * `controllers` has `serviceaccount-token-controller`; without it the plugin would refuse every pod.
 *
 * Whatever ends this process before `stop()`, SIGKILL included, ends the programs and removes their folder too.
 *
 * @throws when the binaries are missing, saying how to get them; when a program ends or is not ready in a minute, with
 *   the end of its output. Nothing is left running then.
 */
export async function startRealControlPlane(
  options: RealControlPlaneOptions = {},
): Promise<RealControlPlane> {
  if (process.platform === 'win32') {
    throw new Error('real control planes run on Linux and macOS only: on Windows, work inside WSL');
  }
  const found = findBinaries({ release: options.release, needed: neededBinaries(options) });
  if (!found.found) {
    throw new Error(found.reason);
  }
  const binaries = found.folder;
  const controllers = options.controllers ?? [];

  const folder = await mkdtemp(join(tmpdir(), 'holdfast-control-plane-'));
  const undo: (() => Promise<unknown>)[] = [
    () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const undoAll = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await step();
    }
  };

  try {
    const guard = await startOrphanGuard(folder);
    undo.push(() => guard.dismiss());
    const serviceAccountKeys = await writeServiceAccountKeys(folder);
    const etcd = await startEtcd(binaries, folder, guard);
    undo.push(() => etcd.stop());
    const apiServer = await startKubeApiServer({
      binaries,
      folder,
      guard,
      etcd,
      serviceAccountKeys,
      enableAdmissionPlugins: options.enableAdmissionPlugins ?? [],
      disableAdmissionPlugins: [
        ...(options.disableAdmissionPlugins ?? []),
        ...(runsController(controllers, tokenController) ? [] : ['ServiceAccount']),
      ],
      featureGates: options.apiServerFeatureGates ?? {},
      port: options.port,
      auditRules: options.auditRules,
    });
    undo.push(() => apiServer.stop());
    const kubeconfig = tokenKubeconfig(apiServer.url, apiServer.ca, apiServer.token);
    const kubeconfigFile = join(folder, 'kubeconfig.json');
    await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });

    let controllerManager: RunningProcess | undefined;
    let controllerManagerStart: Promise<RunningProcess> | undefined;
    const stopControllerManager = async (): Promise<void> => {
      // One that is still starting would outlive the control plane.
      await controllerManagerStart?.catch(() => undefined);
      await controllerManager?.stop();
      controllerManager = undefined;
      controllerManagerStart = undefined;
    };
    undo.push(stopControllerManager);
    const startControllerManager = async (wanted: ControllerManagerOptions): Promise<void> => {
      if (controllerManagerStart !== undefined) {
        throw new Error('a kube-controller-manager runs already: stopControllerManager() first');
      }
      controllerManagerStart = startKubeControllerManager(wanted, {
        binaries,
        folder,
        guard,
        kubeconfigFile,
        token: apiServer.token,
        serviceAccountKeys,
      });
      try {
        controllerManager = await controllerManagerStart;
      } catch (error) {
        controllerManagerStart = undefined;
        throw error;
      }
    };
    if (controllers.length > 0) {
      await startControllerManager({
        controllers,
        featureGates: options.controllerManagerFeatureGates ?? {},
        extraArgs: eagerFlags,
      });
    }

    let stopped: Promise<void> | undefined;
    return {
      backend: 'real',
      url: apiServer.url,
      kubeconfig,
      kubeconfigFile,
      auditLogFile: options.auditRules === undefined ? undefined : join(folder, auditLog),
      get apiServerPid() {
        return apiServer.pid();
      },
      get controllerManagerPid() {
        return controllerManager?.pid;
      },
      restartApiServer: () => apiServer.restart(),
      startControllerManager,
      stopControllerManager,
      async kubectl(args, kubectlOptions) {
        if (missingBinaries(binaries, ['kubectl']).length > 0) {
          throw new Error(`${binaries} lacks kubectl`);
        }
        return runKubectl(binaryPath(binaries, 'kubectl'), folder, kubeconfigFile, args, kubectlOptions);
      },
      stop: () => (stopped ??= undoAll()),
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}
