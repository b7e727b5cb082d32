import { quoted } from '@holdfast/runtime';
import { isFlagKnown, type AtWork } from '../cluster/holdfast-at-work.ts';
import type { AppName, Release } from '../cluster/release.ts';
import { createFootnotes } from '../output/footnotes.ts';
import type { Answer, Part } from '../output/print.ts';
import { sources, type SourceName } from '../sources.ts';
import { appNames, isAllAtWork, isAllKnown, type GateRow } from '../survey/controllers.ts';
import type { PendingRead } from '../survey/undo.ts';
import type { Kept } from '../keep/keep.ts';
import type { Leak } from '../survey/leaks.ts';
import { inTheWay } from './exit-codes.ts';

export function statusReport(
  release: Release | undefined,
  atWork: Readonly<Record<AppName, AtWork>>,
): Answer {
  const controllers = appNames.flatMap((name) =>
    [atWork[name], ...(atWork[name].others ?? [])].map((own) => {
      const { state, isDeployed, because, flags } = own;
      const gates = flags.get('feature-gates') ?? '';
      const namespaces = flags.get('namespaces') ?? '';
      const known = {
        gates: isFlagKnown(own, 'feature-gates'),
        namespaces: isFlagKnown(own, 'namespaces'),
      };
      return { name, state, isDeployed, because, gates, namespaces, known };
    }),
  );
  return {
    code: !isAllAtWork(atWork) ? inTheWay : isAllKnown(atWork) ? 0 : 1,
    object: { kind: 'Status', ...{ kubernetes: release?.text, controllers } },
    names: appNames.filter((name) => atWork[name].state === 'atWork').map((name) => `controller/${name}`),
    parts: [
      { kind: 'text', lines: [`Kubernetes ${release?.text ?? 'of a release that is not known'}.`] },
      {
        kind: 'table',
        headings: ['CONTROLLER', 'AT WORK', 'NAMESPACES', 'FEATURE GATES', 'BECAUSE'],
        rows: controllers.map(({ name, state, isDeployed, because, gates, namespaces, known }) => [
          name,
          {
            text: { atWork: 'yes', absent: isDeployed ? 'no' : 'not deployed', unknown: 'unknown' }[state],
            look: state === 'atWork' ? 'good' : isDeployed ? 'bad' : 'faint',
          },
          state === 'absent' ? '-' : !known.namespaces ? 'unknown' : namespaces === '' ? 'all' : namespaces,
          state !== 'absent' && !known.gates ? 'unknown' : gates === '' ? '-' : gates,
          because,
        ]),
      },
    ],
  };
}

export function gatesReport(release: Release | undefined, rows: readonly GateRow[]): Answer {
  return {
    code: 0,
    object: { kind: 'GateList', ...{ kubernetes: release?.text, items: rows } },
    names: rows.map(({ gate }) => `gate/${gate}`),
    parts: [
      {
        kind: 'table',
        headings: ['GATE', 'OF', 'STAGE', 'ON'],
        rows: rows.map(({ gate, of, stage, on }) => [gate, of, stage, on]),
      },
    ],
  };
}

export function leaksReport(leaks: readonly Leak[]): Answer {
  return {
    code: 0,
    object: { kind: 'LeakList', ...{ items: leaks.map(withSource) } },
    names: leaks.map(({ volume }) => `persistentvolume/${volume}`),
    parts: listed(leaks, 'No volume is at risk.', ['VOLUME', 'LEAKS', 'WHY'], (leak, mark) => [
      leak.volume,
      { text: leak.when, look: leak.when === 'now' ? 'bad' : 'faint' },
      `${leak.words} ${mark(leak.source)}`,
    ]),
  };
}

/**
 * The exit code is 1 if there might be more than what could be listed.
 *
 * @param namespace the only one that was looked at; undefined for all
 */
export function undoReport(
  { pending, unread }: PendingRead,
  now: number,
  namespace: string | undefined,
): Answer {
  const where = namespace === undefined ? '' : ` in namespace ${quoted(namespace)}; -A shows all namespaces`;
  const timed = pending.map((each) => ({
    ...each,
    due: each.due === undefined ? undefined : new Date(each.due).toISOString(),
  }));
  return {
    code: unread.length === 0 ? 0 : 1,
    object: { kind: 'UndoList', ...unreadOf(unread), ...{ items: timed.map(withSource) } },
    names: pending.map(({ kind, name }) =>
      kind === 'claim' ? `persistentvolumeclaim/${name}` : `persistentvolume/${name}`,
    ),
    parts: [
      ...listed(
        pending,
        `Nothing ${unread.length === 0 ? '' : 'of what could be listed '}waits for the end of an undo window${where}.`,
        ['KIND', 'NAMESPACE', 'NAME', 'GOES', 'BECAUSE', 'TO KEEP IT'],
        ({ kind, namespace, name, due, unless, because, keep, source }, mark) => [
          kind,
          namespace,
          name,
          { text: dueWords(due, now), look: 'bad' },
          `${because} ${mark(source)}${unless === undefined ? '' : `; ${unless}`}`,
          keep,
        ],
      ),
      ...unreadParts(unread),
    ],
  };
}

/**
 * Reports what happened to the objects that were to be kept. The exit code is 1 if one was not kept, or if
 * there might be more.
 */
export function keptReport({
  kept,
  unread,
}: {
  readonly kept: readonly Kept[];
  readonly unread: readonly string[];
}): Answer {
  const looks = { kept: 'good', gone: 'bad', failed: 'bad' } as const;
  return {
    code: unread.length === 0 && kept.every(({ result }) => result === 'kept') ? 0 : 1,
    object: {
      kind: 'KeptList',
      ...unreadOf(unread),
      ...{
        items: kept.map(({ pending: { kind, namespace, name }, result, note }) => ({
          ...{ kind, namespace, name, result, note },
        })),
      },
    },
    names: kept
      .filter(({ result }) => result === 'kept')
      .map(({ pending: { kind, name } }) =>
        kind === 'claim' ? `persistentvolumeclaim/${name}` : `persistentvolume/${name}`,
      ),
    parts: [
      {
        kind: 'table',
        headings: ['KIND', 'NAMESPACE', 'NAME', 'RESULT', 'NOTE'],
        rows: kept.map(({ pending: { kind, namespace, name }, result, note }) => [
          ...[kind, namespace, name],
          { text: result, look: looks[result] },
          note,
        ]),
      },
      ...unreadParts(unread),
    ],
  };
}

function unreadOf(unread: readonly string[]): { readonly unread?: readonly string[] } {
  return unread.length === 0 ? {} : { unread };
}

function unreadParts(unread: readonly string[]): readonly Part[] {
  return unread.map((plural) => ({
    kind: 'text',
    lines: [
      `${plural} could not be listed: whether one of them waits is not known (see kubectl auth can-i list ${plural}).`,
    ],
  }));
}

function dueWords(due: number | undefined, now: number): string {
  if (due === undefined) {
    return 'never, unreadable';
  }
  const minutes = Math.floor((due - now) / 60_000);
  const left = minutes < 120 ? `${String(minutes)}m` : `${String(Math.floor(minutes / 60))}h`;
  return `${new Date(due).toISOString()} (${due <= now ? 'due' : left})`;
}

function listed<T>(
  items: readonly T[],
  none: string,
  headings: readonly string[],
  rowOf: (item: T, mark: (source: SourceName) => string) => Extract<Part, { kind: 'table' }>['rows'][number],
): readonly Part[] {
  if (items.length === 0) {
    return [{ kind: 'text', lines: [none] }];
  }
  const footnotes = createFootnotes();
  const rows = items.map((item) => rowOf(item, footnotes.mark));
  return [{ kind: 'table', headings, rows }, footnotes.part()];
}

function withSource<T extends { readonly source: SourceName }>(item: T) {
  return { ...item, source: sources[item.source] };
}
