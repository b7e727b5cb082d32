import {
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { isBoundTo } from '@holdfast/pv-reclaim-honor/decide';
import { durationFlag, find, listAll, type ConnectedClient } from '@holdfast/runtime';
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
  const own = volume.metadata.annotations?.[graceAnnotation];
  const grace = own ?? (await graceOfClass(client, volume));
  const { reclaimer, hidden } = reclaimerOf(atWork['pv-reclaim-honor'], volume);
  return explainReport(
    explainVolume({
      ...{ volume, claim, elsewhere, attachments, hidden, holdfast: reclaimer, now: nowOf(client) },
      window: grace === undefined ? undefined : windowOf(grace),
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

const graceAnnotation = 'holdfast.dev/reclaim-grace';

/** The undo window that its class asks for if the volume itself does not ask for one. */
async function graceOfClass(
  client: ConnectedClient,
  { spec }: PersistentVolume,
): Promise<string | undefined> {
  const { storageClassName: name = '' } = spec ?? {};
  const found = name === '' ? undefined : await unlessRefused(find(client, storageClasses, { name }));
  return found?.metadata.annotations?.[graceAnnotation];
}

const windowSchema = durationFlag({ description: 'holdfast.dev/reclaim-grace', default: '24h' }).schema;

function windowOf(text: string): number | 'unusable' {
  const read = windowSchema.safeParse(text);
  return read.success ? read.data : 'unusable';
}
