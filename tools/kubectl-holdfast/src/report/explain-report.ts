import { createFootnotes } from '../output/footnotes.ts';
import type { Answer, Part } from '../output/print.ts';
import { sources, type SourceName } from '../sources.ts';
import type { Explanation, Holder } from '../explain/explanation.ts';

const resourceOf = {
  PersistentVolumeClaim: 'persistentvolumeclaim',
  PersistentVolume: 'persistentvolume',
  StatefulSet: 'statefulset.apps',
  StorageClass: 'storageclass.storage.k8s.io',
} as const;

function holdsWords(holds: Holder['holds']): string {
  return holds === 'unknown' ? 'unknown' : holds ? 'yes' : 'no';
}

/** The report of `explain` about an object. */
export function explainReport(explanation: Explanation): Answer {
  const { subject, state, holders, next, ifs } = explanation;
  const footnotes = createFootnotes();
  const mark = (source: SourceName | undefined): string =>
    source === undefined ? '' : ` ${footnotes.mark(source)}`;
  const address = subject.namespace === undefined ? subject.name : `${subject.namespace}/${subject.name}`;
  const parts: Part[] = [{ kind: 'text', lines: [`${subject.kind} ${address}: ${state}.`] }];
  if (holders.length > 0) {
    parts.push({
      kind: 'table',
      headings: ['WHAT', 'NAME', 'HOLDS', 'STATE'],
      rows: holders.map(({ kind, name, holds, words, source }) => [
        kind,
        name,
        { text: holdsWords(holds), look: holds === false ? 'faint' : 'bad' },
        `${words}${mark(source)}`,
      ]),
    });
  }
  if (next.length > 0) {
    parts.push({
      kind: 'table',
      headings: ['NEXT', 'DOES'],
      rows: next.map(({ who, does, source }) => [who.replace(/,$/, ''), `${does}${mark(source)}`]),
    });
  }
  if (ifs.length > 0) {
    parts.push({
      kind: 'table',
      headings: ['IF', 'THEN'],
      rows: ifs.map(({ what, then, source }) => [what, `${then}${mark(source)}`]),
    });
  }
  const withSource = <T extends { readonly source?: SourceName }>(each: T) => ({
    ...each,
    ...(each.source === undefined ? {} : { source: sources[each.source] }),
  });
  return {
    code: 0,
    object: {
      kind: 'Explanation',
      ...{
        subject,
        state,
        holders: holders.map(withSource),
        next: next.map(withSource),
        ifs: ifs.map(withSource),
      },
    },
    names: [`${resourceOf[subject.kind]}/${subject.name}`],
    parts: [...parts, footnotes.part()],
  };
}
