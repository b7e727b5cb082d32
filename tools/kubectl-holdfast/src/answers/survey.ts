import { persistentVolumeClaims, persistentVolumes } from '@holdfast/core';
import { listAll, type Clock, type ConnectedClient } from '@holdfast/runtime';
import { readAtWork, unlessRefused } from '../cluster/holdfast-at-work.ts';
import { claimFields, volumeFields } from '../cluster/projections.ts';
import { listed, nowOf } from '../cluster/read-set.ts';
import { readRelease } from '../cluster/release.ts';
import type { Answer } from '../output/print.ts';
import { gatesReport, leaksReport, statusReport, undoReport } from '../report/survey-reports.ts';
import { appNames, gateRows, isAllAtWork } from '../survey/controllers.ts';
import { leaksOf } from '../survey/leaks.ts';
import { pendingOf, type Pending } from '../survey/undo.ts';

/** Between two looks at the controllers, milliseconds. */
const pause = 2_000;

/** @param patience how long to wait until all that are deployed are at work, milliseconds; undefined: not at all. */
export async function answerStatus(
  client: ConnectedClient,
  patience: number | undefined,
  clock: Clock,
): Promise<Answer> {
  const release = await readRelease(client);
  const until = clock.now() + (patience ?? 0);
  let atWork = await readAtWork(client, appNames);
  while (!isAllAtWork(atWork) && clock.now() < until) {
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
  return leaksReport(
    leaksOf(await listed(listAll(client, persistentVolumes, { projection: volumeFields, limit: 5_000 }))),
  );
}

/** @param namespace undefined: all. */
export async function answerUndo(client: ConnectedClient, namespace: string | undefined): Promise<Answer> {
  return undoReport(await readPending(client, namespace), nowOf(client));
}

/** What waits for the end of an undo window; volumes by the namespace of their claim. @param namespace undefined: all. */
export async function readPending(
  client: ConnectedClient,
  namespace: string | undefined,
): Promise<readonly Pending[]> {
  const [claims, volumes = []] = await Promise.all([
    listed(
      listAll(client, persistentVolumeClaims, {
        ...(namespace === undefined ? {} : { namespace }),
        projection: claimFields,
        limit: 5_000,
      }),
    ),
    unlessRefused(listed(listAll(client, persistentVolumes, { projection: volumeFields, limit: 5_000 }))),
  ]);
  return pendingOf(claims, volumes).filter((each) => namespace === undefined || each.namespace === namespace);
}
