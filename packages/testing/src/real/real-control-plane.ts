import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane, ControlPlaneOptions } from '../plane/control-plane.ts';
import { binaryPath, findBinaries, missingBinaries, type BinaryName } from './binaries.ts';
import { startEtcd, type BumpedVersions } from './etcd.ts';
import { firstObjects } from './first-objects.ts';
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
  /**
   * Admission plugins to turn on in addition to those that kube-apiserver enables by default, by name, for
   * example ['OwnerReferencesPermissionEnforcement']. Default none.
   */
  readonly enableAdmissionPlugins?: readonly string[];
  /**
   * The rules of an audit policy (audit.k8s.io/v1), for example `[{ level: 'Metadata', verbs: ['patch'] }, {
   * level: 'None' }]`. The first rule that matches a request decides. The event is in `auditLogFile` before
   * its request is answered. Default: nothing is audited.
   */
  readonly auditRules?: readonly object[];
}

/** etcd, kube-apiserver and, if asked for, kube-controller-manager, on loopback, in a folder of their own. */
export interface RealControlPlane extends ControlPlane {
  readonly backend: 'real';
  /** The path of a file with `kubeconfig`, for programs that need a path. `stop()` removes it. */
  readonly kubeconfigFile: string;
  /**
   * The path of the audit log: the events that `auditRules` choose, one per line, as JSON. Undefined without
   * `auditRules`. `stop()` removes it.
   */
  readonly auditLogFile: string | undefined;
  /** The pid of the kube-apiserver that serves now. It changes with a restart. */
  readonly apiServerPid: number;
  /** The pid of the kube-controller-manager; undefined while none runs. */
  readonly controllerManagerPid: number | undefined;
  /**
   * Starts kube-controller-manager. Resolves when every named controller runs.
   *
   * @throws if a kube-controller-manager is already running, or if a controller does not exist or does not
   *   start
   */
  startControllerManager(options: ControllerManagerOptions): Promise<void>;
  /** Stops kube-controller-manager; does nothing if none runs. */
  stopControllerManager(): Promise<void>;
  /**
   * Copies the data of etcd as they are at one moment. Resolves with the folder of the copy, for {@link restore}.
   * `stop()` removes it.
   */
  backUp(): Promise<string>;
  /**
   * Restores etcd from a backup as an administrator does: ends kube-apiserver and etcd, puts the backup in the place of
   * etcd's data, and starts both. Resolves when the API server is ready. kube-controller-manager is left alone. A
   * backup can be restored more than once.
   *
   * Versions continue from the backup's, so each of those since is assigned a second time.
   *
   * @param bump leaves versions out, so that none is assigned twice. Default: none is left out.
   */
  restore(backup: string, bump?: BumpedVersions): Promise<void>;
  /** Runs kubectl as cluster admin. A command that fails is a result, not an error. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
}

/**
 * Returns the programs without which a control plane with these options cannot start. kubectl is not among
 * them: it is needed only when it is called.
 */
export function neededBinaries(options: RealControlPlaneOptions): readonly BinaryName[] {
  const withControllers = (options.controllers ?? []).length > 0;
  return ['etcd', 'kube-apiserver', ...(withControllers ? (['kube-controller-manager'] as const) : [])];
}

/**
 * Starts a real control plane. It is ready in some 4 seconds, a little sooner with `HOLDFAST_FIRST_OBJECTS`
 * (see the README). Pods get service account tokens mounted (the ServiceAccount admission plugin) only if
 * `controllers` includes `serviceaccount-token-controller`; without that controller the plugin would refuse
 * every pod, so it is turned off.
 *
 * If this process ends before `stop()` for any reason, even SIGKILL, the programs are ended and their folder
 * is removed.
 *
 * @throws if the binaries are missing, saying how to get them; or if a program ends or is not ready within a
 *   minute, with the end of its output. Nothing is left running then.
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
    const objects = await firstObjects(binaries, options.apiServerFeatureGates ?? {});
    await objects?.putInto(folder);
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
    await objects?.keepFrom(folder);
    const kubeconfig = tokenKubeconfig(apiServer.url, apiServer.ca, apiServer.token);
    const kubeconfigFile = join(folder, 'kubeconfig.json');
    await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });

    let controllerManager: RunningProcess | undefined;
    let controllerManagerStart: Promise<RunningProcess> | undefined;
    const stopControllerManager = async (): Promise<void> => {
      // A kube-controller-manager that is still starting would outlive the control plane.
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
      backUp: () => etcd.backUp(),
      restore: (backup, bump) => apiServer.restart(() => etcd.restore(backup, bump)),
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
