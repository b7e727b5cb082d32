import {
  persistentVolumeClaims,
  persistentVolumes,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { listAll, type Clock, type ConnectedClient } from '@holdfast/runtime';
import { readAtWork } from '../cluster/holdfast-at-work.ts';
import { unlessRefused } from '../cluster/refused.ts';
import { claimFields } from '../cluster/projections.ts';
import { listed, listVolumes, nowOf } from '../cluster/read-set.ts';
import { readRelease } from '../cluster/release.ts';
import { windowApps, windowKeepers } from '../cluster/window-keepers.ts';
import type { Answer } from '../output/print.ts';
import { gatesReport, leaksReport, statusReport, undoReport } from '../report/survey-reports.ts';
import { appNames, gateRows, isAllAtWork, isAllKnown } from '../survey/controllers.ts';
import { leaksOf } from '../survey/leaks.ts';
import type { WindowKeepers } from '../plan/vacancy-wait.ts';
import { pendingOf, type PendingRead } from '../survey/undo.ts';

/** Milliseconds between two checks of the controllers. */
const pause = 2_000;

/**
 * @param patience how many milliseconds to wait until all deployed controllers are at work; undefined: not at
 *   all
 */
export async function answerStatus(
  client: ConnectedClient,
  patience: number | undefined,
  clock: Clock,
): Promise<Answer> {
  const release = await readRelease(client);
  const until = clock.now() + (patience ?? 0);
  let atWork = await readAtWork(client, appNames);
  while (!(isAllAtWork(atWork) && isAllKnown(atWork)) && clock.now() < until) {
    await new Promise<void>((resolve) => void clock.after(pause, resolve));
    atWork = await readAtWork(client, appNames);
  }
  return statusReport(release, atWork);
}

export async function answerGates(client: ConnectedClient): Promise<Answer> {
  const [release, atWork] = await Promise.all([readRelease(client), readAtWork(client, appNames)]);
  return gatesReport(release, gateRows(release, atWork));
}

export async function answerLeaks(client: ConnectedClient): Promise<Answer> {
  return leaksReport(leaksOf(await listVolumes(client)));
}

/** @param namespace undefined for all */
export async function answerUndo(client: ConnectedClient, namespace: string | undefined): Promise<Answer> {
  const keepers = readAtWork(client, windowApps).then(windowKeepers);
  return undoReport(await readPending(client, namespace, keepers), nowOf(client), namespace);
}

/**
 * Reads claims and volumes; a volume belongs to the namespace of its claim.
 *
 * @param namespace undefined for all
 * @param keepers who ends the undo windows. Default: controllers that are at work, and do not wait.
 */
export async function readPending(
  client: ConnectedClient,
  namespace: string | undefined,
  keepers?: Promise<WindowKeepers>,
): Promise<PendingRead> {
  const [claims, volumes, known] = await Promise.all([
    listClaims(client, namespace),
    unlessRefused(listVolumes(client)),
    keepers,
  ]);
  return {
    pending: pendingOf(claims, volumes ?? [], known).filter(
      (each) => namespace === undefined || each.namespace === namespace,
    ),
    unread: volumes === undefined ? [persistentVolumes.plural] : [],
  };
}

export async function readPendingClaims(client: ConnectedClient, namespace: string): Promise<PendingRead> {
  return { pending: pendingOf(await listClaims(client, namespace), []), unread: [] };
}

export async function readPendingVolumes(
  client: ConnectedClient,
): Promise<PendingRead & { readonly volumes: readonly PersistentVolume[] }> {
  const volumes = await listVolumes(client);
  return { pending: pendingOf([], volumes), volumes, unread: [] };
}

function listClaims(
  client: ConnectedClient,
  namespace: string | undefined,
): Promise<readonly PersistentVolumeClaim[]> {
  return listed(
    listAll(client, persistentVolumeClaims, {
      ...(namespace === undefined ? {} : { namespace }),
      projection: claimFields,
      limit: 5_000,
    }),
  );
}
