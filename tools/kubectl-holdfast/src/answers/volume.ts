import {
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { classOf, isBoundTo } from '@holdfast/pv-reclaim-honor/decide';
import { find, listAll, type ConnectedClient } from '@holdfast/runtime';
import { readAtWork } from '../cluster/holdfast-at-work.ts';
import { unlessForbidden, unlessRefused } from '../cluster/refused.ts';
import { NotFound } from '../cluster/not-found.ts';
import { claimFields } from '../cluster/projections.ts';
import { listed, nowOf } from '../cluster/read-set.ts';
import { reclaimerOf } from '../cluster/reclaimer.ts';
import { explainVolume } from '../explain/volume/explain-volume.ts';
import type { Answer } from '../output/print.ts';
import { explainReport } from '../report/explain-report.ts';
import { readAttachments } from './claim.ts';

export async function answerVolume(client: ConnectedClient, name: string): Promise<Answer> {
  const [volume, attachments, atWork] = await Promise.all([
    find(client, persistentVolumes, { name }),
    readAttachments(client, name),
    readAtWork(client, ['pv-reclaim-honor']),
  ]);
  if (volume === undefined) {
    throw new NotFound('persistentvolume', name);
  }
  const { namespace, name: claimName } = volume.spec?.claimRef ?? {};
  const claim =
    namespace === undefined || claimName === undefined
      ? undefined
      : await unlessForbidden(
          find(client, persistentVolumeClaims, { namespace, name: claimName }, { projection: claimFields }),
          'unread',
        );
  const elsewhere =
    claim === 'unread' || claim?.metadata.uid === volume.spec?.claimRef?.uid
      ? undefined
      : await claimElsewhere(client, volume, claim);
  const { reclaimer, hidden, keeper } = reclaimerOf(atWork['pv-reclaim-honor'], volume);
  return explainReport(
    explainVolume({
      ...{ volume, claim, elsewhere, attachments, hidden, keeper, holdfast: reclaimer },
      ...{ storageClass: await readClassOf(client, volume), now: nowOf(client) },
    }),
  );
}

/**
 * The claim with the UID in claimRef, in any namespace, or else one that says that it is bound to the volume, unless
 * the named one does; undefined if there is none, or if it may not be read.
 */
async function claimElsewhere(
  client: ConnectedClient,
  volume: PersistentVolume,
  named: PersistentVolumeClaim | undefined,
): Promise<PersistentVolumeClaim | undefined> {
  const { uid = '' } = volume.spec?.claimRef ?? {};
  const all =
    uid === ''
      ? []
      : await unlessRefused(
          listed(listAll(client, persistentVolumeClaims, { projection: claimFields, limit: 5_000 })),
        );
  return (
    all?.find(({ metadata }) => metadata.uid === uid) ??
    (named !== undefined && isBoundTo(named, volume)
      ? undefined
      : all?.find((each) => isBoundTo(each, volume)))
  );
}

/** Undefined if it has none, or that is not there. */
async function readClassOf(
  client: ConnectedClient,
  volume: PersistentVolume,
): Promise<StorageClass | 'unread' | undefined> {
  const name = classOf(volume);
  return name === '' ? undefined : unlessForbidden(find(client, storageClasses, { name }), 'unread');
}
