import {
  persistentVolumeClaims,
  type ObjectRef,
  type OwnerReference,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import {
  guardedWrite,
  writeOutcome,
  type ApiClient,
  type RequestOptions,
  type WriteOutcome,
  type Written,
} from '@holdfast/runtime';
import type { Logger } from 'pino';
import { annotationsOf, type Annotating } from './annotations.ts';
import { annotationsPatch, ownersPatch } from './claim-patch.ts';
import type { DeleteDecision, OwnersDecision } from './decide/decision.ts';
import { referencesOf, uidsOf } from './decide/references.ts';
import type { Metrics } from './metrics.ts';
import { slimClaim } from './slim.ts';
import type { StrayMarks } from './stray-marks.ts';

type ClaimRequest = Pick<RequestOptions, 'signal' | 'look'>;

/**
 * Carries out what was decided for a claim: one guarded write, which is always counted, and logged if it
 * succeeds.
 */
export interface ClaimWriter {
  /** Returns the claim as the write left it. */
  setOwners(decision: OwnersDecision, request: ClaimRequest): Promise<Written<PersistentVolumeClaim>>;
  /** Writes or removes the claim's time of deletion, or its tie. */
  annotate(decision: Annotating, request: ClaimRequest): Promise<Written<PersistentVolumeClaim>>;
  delete(decision: DeleteDecision, request: ClaimRequest): Promise<Written<void>>;
}

export interface ClaimWriterOptions {
  readonly client: ApiClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly strayMarks: Pick<StrayMarks, 'forgive'>;
}

export function createClaimWriter({ client, logger, metrics, strayMarks }: ClaimWriterOptions): ClaimWriter {
  return {
    setOwners: async ({ claim, references, operation, owner, reason }, request) => {
      const patch = ownersPatch(claim, references);
      const written = await counted(
        (outcome) => metrics.ownerReference(operation, outcome),
        () =>
          client.patch(persistentVolumeClaims, refOf(claim), patch, { projection: slimClaim, ...request }),
        (patched) => hasOwnersOf(patched, claim, references),
      );
      if (written.kind === 'written') {
        const { namespace, name } = claim.metadata;
        logger.info(
          { namespace, claim: name, operation, owner: owner && `${owner.kind} ${owner.name}`, reason },
          'Owner references changed',
        );
      }
      return written;
    },
    annotate: async (decision, request) => {
      const { kind, claim, reason } = decision;
      const annotations = annotationsOf(decision);
      if (kind === 'mark') {
        strayMarks.forgive(claim, annotations);
      }
      const patch = annotationsPatch(claim, annotations);
      const written = await counted(
        (outcome) => metrics.delayedDeletion(kind, outcome),
        () =>
          client.patch(persistentVolumeClaims, refOf(claim), patch, { projection: slimClaim, ...request }),
        ({ metadata }) =>
          Object.entries(annotations).every(([name, value]) => metadata.annotations?.[name] === value),
      );
      if (written.kind === 'written') {
        const { namespace, name } = claim.metadata;
        const deleteAfter = kind === 'mark' ? decision.deleteAfter : undefined;
        logger.info(
          { namespace, claim: name, operation: kind, deleteAfter, reason },
          'Time of deletion changed',
        );
      }
      return written;
    },
    delete: async ({ claim, reason }, request) => {
      const { namespace, name, uid, resourceVersion } = claim.metadata;
      const written = await counted(
        (outcome) => metrics.delayedDeletion('delete', outcome),
        () =>
          client.delete(persistentVolumeClaims, refOf(claim), {
            preconditions: { uid, resourceVersion },
            ...request,
          }),
      );
      if (written.kind === 'written') {
        logger.info({ namespace, claim: name, reason }, 'Claim deleted');
      }
      return written;
    },
  };
}

/** Returns whether the claim has these references, and none of the others that it had before. */
function hasOwnersOf(
  patched: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
  references: readonly OwnerReference[],
): boolean {
  const [wanted, present] = [uidsOf(references), uidsOf(referencesOf(patched))];
  const gone = referencesOf(before).filter(({ uid }) => !wanted.has(uid));
  return [...wanted].every((uid) => present.has(uid)) && !gone.some(({ uid }) => present.has(uid));
}

async function counted<T>(
  count: (outcome: WriteOutcome) => void,
  send: () => Promise<T>,
  isDone?: (object: T) => boolean,
): Promise<Written<T>> {
  const written = await guardedWrite(send, isDone);
  count(writeOutcome(written));
  return written;
}

function refOf({ metadata: { namespace, name } }: PersistentVolumeClaim): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}
