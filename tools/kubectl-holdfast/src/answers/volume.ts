import {
  isTerminating,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@holdfast/core';
import { classOf, meansDelete } from '@holdfast/pv-reclaim-honor/decide';
import { find, listAll, type ConnectedClient } from '@holdfast/runtime';
import { readAtWork } from '../cluster/holdfast-at-work.ts';
import { unlessForbidden, unlessRefused } from '../cluster/refused.ts';
import { NotFound } from '../cluster/not-found.ts';
import { claimFields } from '../cluster/projections.ts';
import { listed, nowOf } from '../cluster/read-set.ts';
import { reclaimerOf, type Reclaimer, type SeenReclaimer } from '../cluster/reclaimer.ts';
import { readSharing, type ClaimsOfVolume } from '../cluster/sharing.ts';
import { claimElsewhere } from '../explain/volume/claim-elsewhere.ts';
import { explainVolume } from '../explain/volume/explain-volume.ts';
import { isReleased, policyOf, type VolumeFacts } from '../explain/volume/facts.ts';
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
  const seen = reclaimerOf(atWork['pv-reclaim-honor'], volume);
  return explainReport(explainVolume(await readFacts(client, { volume, attachments, seen })));
}

/** Reads what else the explanation of a volume depends on. */
export async function readFacts(
  client: ConnectedClient,
  {
    volume,
    attachments,
    seen,
  }: Pick<VolumeFacts, 'volume' | 'attachments'> & { readonly seen: SeenReclaimer },
): Promise<VolumeFacts> {
  const { reclaimer, hidden, keeper } = seen;
  // Of many volumes over one storage, each might have to know of all claims.
  let all: ReturnType<ReadAllClaims> | undefined;
  const readAllClaims: ReadAllClaims = () => (all ??= readClaims(client));
  const claimsOf = (of: PersistentVolume): Promise<ClaimsOfVolume> =>
    readClaimsOf(client, of, { holdfast: reclaimer, readAllClaims });
  const claims = await claimsOf(volume);
  const isToGo = policyOf(volume) === 'Delete' || meansDelete(volume);
  const sharing =
    reclaimer !== undefined && isToGo && (isReleased(volume) || isTerminating(volume))
      ? await readSharing(client, volume, seen, claimsOf)
      : undefined;
  return {
    ...{ volume, ...claims, attachments, hidden, keeper, holdfast: reclaimer },
    ...(sharing === undefined ? {} : { sharing }),
    ...{ storageClass: await readClassOf(client, volume), now: nowOf(client) },
  };
}

async function readClaimsOf(
  client: ConnectedClient,
  volume: PersistentVolume,
  around: { readonly holdfast: Reclaimer | undefined; readonly readAllClaims: ReadAllClaims },
): Promise<ClaimsOfVolume> {
  const { namespace, name } = volume.spec?.claimRef ?? {};
  const claim =
    namespace === undefined || name === undefined
      ? undefined
      : await unlessForbidden(
          find(client, persistentVolumeClaims, { namespace, name }, { projection: claimFields }),
          'unread',
        );
  const isOwnThere = claim === 'unread' || claim?.metadata.uid === volume.spec?.claimRef?.uid;
  // One that no claim has had needs none of them.
  const others = isOwnThere || (volume.spec?.claimRef?.uid ?? '') === '' ? [] : await around.readAllClaims();
  const elsewhere =
    isOwnThere || others === undefined
      ? undefined
      : claimElsewhere(others, { volume, named: claim, holdfast: around.holdfast });
  return { claim, elsewhere, isElsewhereUnread: others === undefined };
}

/** Returns the claims of all namespaces; undefined if they may not be read. */
type ReadAllClaims = () => Promise<readonly PersistentVolumeClaim[] | undefined>;

function readClaims(client: ConnectedClient): ReturnType<ReadAllClaims> {
  return unlessRefused(
    listed(listAll(client, persistentVolumeClaims, { projection: claimFields, limit: 5_000 })),
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
