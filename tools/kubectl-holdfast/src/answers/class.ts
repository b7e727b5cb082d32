import { persistentVolumeClaims, storageClasses } from '@holdfast/core';
import { createProjection, listAll, type ConnectedClient } from '@holdfast/runtime';
import { claimAnnotations } from '@holdfast/retroactive-default-sc/decide';
import { NotFound } from '../cluster/not-found.ts';
import { listed } from '../cluster/read-set.ts';
import { explainClass } from '../explain/explain-class.ts';
import type { Answer } from '../output/print.ts';
import { explainReport } from '../report/explain-report.ts';

const { betaClass, bindCompleted } = claimAnnotations;

/**
 * The fields of the cluster's claims that show whether they wait for a class, or for a volume of that class.
 */
const waitingClaim = createProjection(persistentVolumeClaims, {
  metadata: { deletionTimestamp: true, annotations: { [betaClass]: true, [bindCompleted]: true } },
  spec: { storageClassName: true, volumeName: true },
  status: { phase: true },
});

export async function answerClass(client: ConnectedClient, name: string): Promise<Answer> {
  const [classes, claims] = await Promise.all([
    listed(listAll(client, storageClasses)),
    listed(listAll(client, persistentVolumeClaims, { projection: waitingClaim, limit: 5_000 })),
  ]);
  const storageClass = classes.find(({ metadata }) => metadata.name === name);
  if (storageClass === undefined) {
    throw new NotFound('storageclass', name);
  }
  return explainReport(explainClass({ storageClass, classes, claims }));
}
