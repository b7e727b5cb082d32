import type { PersistentVolume } from '@holdfast/core';
import type { ConnectedClient } from '@holdfast/runtime';
import { inTurns } from '../keep/in-turns.ts';
import { keep, keptBefore, type Kept } from '../keep/keep.ts';
import type { Answer } from '../output/print.ts';
import { keptReport, undoReport } from '../report/survey-reports.ts';
import { NothingPending } from '../cluster/not-found.ts';
import { nowOf } from '../cluster/read-set.ts';
import type { Pending, PendingRead } from '../survey/undo.ts';
import type { Confirm } from './confirm.ts';
import { readPending, readPendingClaims, readPendingVolumes } from './survey.ts';

/** What to keep: certain objects, or everything in an undo window. */
export interface KeepRequest {
  /** Undefined for everything. */
  readonly these: { readonly of: 'pvc' | 'pv'; readonly names: readonly string[] } | undefined;
  readonly namespace: string;
  readonly allNamespaces: boolean;
}

/**
 * Volumes that an earlier run has kept, and that are being deleted, are only reported.
 *
 * @throws NothingPending if one of these is not in an undo window; what the client throws before anything is
 *   written
 */
export async function answerKeep(
  client: ConnectedClient,
  { these, namespace, allNamespaces }: KeepRequest,
  confirm: Confirm,
): Promise<Answer> {
  const {
    pending: all,
    unread,
    volumes = [],
  } = await readWanted(client, { these, namespace, allNamespaces });
  const before = volumes
    .filter(({ metadata }) => these?.names.includes(metadata.name))
    .flatMap((volume) => keptBefore(volume, nowOf(client)) ?? []);
  const names = these?.names.filter((name) => !before.some(({ pending }) => pending.name === name));
  const chosen =
    these === undefined || names === undefined
      ? all
      : names.map((name) => pendingNamed(all, these.of, name, namespace));
  const planned = undoReport(
    { pending: chosen, unread },
    nowOf(client),
    allNamespaces ? undefined : namespace,
  );
  if (chosen.length === 0) {
    return before.length === 0 ? planned : keptReport({ kept: before, unread });
  }
  const what = chosen.length === 1 ? 'Keep it' : `Keep these ${String(chosen.length)}`;
  if (!(await confirm(planned, what))) {
    return { ...planned, parts: [{ kind: 'text', lines: ['Nothing was written.'] }], code: 1 };
  }
  return keptReport({ kept: [...(await keepEach(client, inTurns(chosen))), ...before], unread });
}

/**
 * Reads only the kinds that are named. A volume has no namespace, and where a volume is named, its claim's
 * namespace does not matter.
 */
function readWanted(
  client: ConnectedClient,
  { these, namespace, allNamespaces }: KeepRequest,
): Promise<PendingRead & { readonly volumes?: readonly PersistentVolume[] }> {
  switch (these?.of) {
    case undefined:
      return readPending(client, allNamespaces ? undefined : namespace);
    case 'pvc':
      return readPendingClaims(client, namespace);
    case 'pv':
      return readPendingVolumes(client);
  }
}

/**
 * Keeps one after the other. If the API server stops answering, the rest is not tried, and what was done
 * until then is still reported.
 */
async function keepEach(client: ConnectedClient, chosen: readonly Pending[]): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  for (const pending of chosen) {
    try {
      kept.push(await keep(client, pending));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const [, ...rest] = chosen.slice(kept.length);
      return [
        ...kept,
        { pending, result: 'failed', note: `${why}; whether it was written is not known` },
        ...rest.map((each): Kept => ({
          ...{ pending: each, result: 'failed' },
          note: 'not tried, since the API server did not answer; run it again',
        })),
      ];
    }
  }
  return kept;
}

function pendingNamed(all: readonly Pending[], of: 'pvc' | 'pv', name: string, namespace: string): Pending {
  const found = all.find((each) => each.kind === (of === 'pvc' ? 'claim' : 'volume') && each.name === name);
  if (found === undefined) {
    throw of === 'pvc' ? new NothingPending(of, name, namespace) : new NothingPending(of, name);
  }
  return found;
}
