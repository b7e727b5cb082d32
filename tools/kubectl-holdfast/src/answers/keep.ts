import type { ConnectedClient } from '@holdfast/runtime';
import { keep } from '../keep/keep.ts';
import type { Answer } from '../output/print.ts';
import { keptReport, undoReport } from '../report/survey-reports.ts';
import { NothingPending } from '../cluster/not-found.ts';
import { nowOf } from '../cluster/read-set.ts';
import type { Pending } from '../survey/undo.ts';
import type { Confirm } from './confirm.ts';
import { readPending } from './survey.ts';

/** What is to be kept: these, or all that waits. */
export interface KeepRequest {
  /** Undefined: all. */
  readonly these: { readonly of: 'pvc' | 'pv'; readonly names: readonly string[] } | undefined;
  readonly namespace: string;
  readonly allNamespaces: boolean;
}

/** @throws NothingPending when one of these waits for no undo window; what the client throws. */
export async function answerKeep(
  client: ConnectedClient,
  { these, namespace, allNamespaces }: KeepRequest,
  confirm: Confirm,
): Promise<Answer> {
  // A volume has no namespace; its claim's does not matter where it is named.
  const isEverywhere = these === undefined ? allNamespaces : these.of === 'pv';
  const all = await readPending(client, isEverywhere ? undefined : namespace);
  const chosen = these === undefined ? all : these.names.map((name) => pendingNamed(all, these.of, name));
  const planned = undoReport(chosen, nowOf(client));
  if (chosen.length === 0) {
    return planned;
  }
  const what = chosen.length === 1 ? 'Keep it' : `Keep these ${String(chosen.length)}`;
  if (!(await confirm(planned, what))) {
    return { ...planned, parts: [{ kind: 'text', lines: ['Nothing was written.'] }], code: 1 };
  }
  const kept = [];
  for (const pending of chosen) {
    kept.push(await keep(client, pending));
  }
  return keptReport(kept);
}

function pendingNamed(all: readonly Pending[], of: 'pvc' | 'pv', name: string): Pending {
  const found = all.find((each) => each.kind === (of === 'pvc' ? 'claim' : 'volume') && each.name === name);
  if (found === undefined) {
    throw new NothingPending(of, name);
  }
  return found;
}
