import type { Plane } from './client-of.ts';
import { startController, type Controller, type RunningController } from './controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import { jobController } from './job/job-controller.ts';
import { ttlAfterFinished } from './job/ttl-after-finished.ts';
import { defaultServiceAccounts, rootCaPublisher } from './namespaces/namespace-defaults.ts';
import { namespaceDeletion } from './namespaces/namespace-deletion.ts';
import { replicaSetController } from './replica-set/replica-set-controller.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';
import { persistentVolumeBinder } from './volumes/persistent-volume-binder.ts';
import { persistentVolumeProtection } from './volumes/persistent-volume-protection.ts';

/**
 * The controllers of kube-controller-manager that have a stand-in here, by kube-controller-manager's names.
 */
const standIns: ReadonlyMap<string, Controller> = new Map(
  [
    defaultServiceAccounts,
    deploymentController,
    garbageCollector,
    jobController,
    namespaceDeletion,
    persistentVolumeBinder,
    persistentVolumeProtection,
    replicaSetController,
    rootCaPublisher,
    statefulSetController(),
    ttlAfterFinished,
  ].map((controller) => [controller.name, controller]),
);

/**
 * Returns the stand-ins that a list chooses. The list is written as for `--controllers` of
 * kube-controller-manager: a name, `*` for all that exist, or `-name` for all but that one. The first entry
 * about a name counts.
 *
 * @throws for a name that no stand-in has, naming the existing ones
 */
export function chooseStandIns(controllers: readonly string[]): readonly Controller[] {
  for (const entry of controllers) {
    if (entry !== '*' && !standIns.has(entry.replace(/^-/, ''))) {
      const known = [...standIns.keys()].join(', ');
      throw new Error(
        `there is no stand-in for controller "${entry}": there are ${known}, and * for all; others run in a real kube-controller-manager`,
      );
    }
  }
  return [...standIns].flatMap(([name, controller]) => {
    const named = controllers.find((entry) => entry === name || entry === `-${name}`);
    const isOn = named === undefined ? controllers.includes('*') : named === name;
    return isOn ? [controller] : [];
  });
}

/**
 * Starts the stand-ins that a list chooses, see {@link chooseStandIns}. Resolves when all of them work. If
 * one cannot be started, none is left running.
 *
 * @throws as chooseStandIns does, before anything is started; or what {@link startController} throws
 */
export async function startStandIns(
  plane: Plane,
  controllers: readonly string[],
): Promise<readonly RunningController[]> {
  const starts = await Promise.allSettled(
    chooseStandIns(controllers).map((controller) => startController(plane, controller)),
  );
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(running.map((controller) => controller.stop()));
    throw failed.reason;
  }
  return running;
}
