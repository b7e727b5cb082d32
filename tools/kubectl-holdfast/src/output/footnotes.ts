import { sources, type SourceName } from '../sources.ts';
import type { Part } from './print.ts';

/** The sources of an answer, numbered in the order in which they are first mentioned. */
export interface Footnotes {
  /** `[1]` */
  mark(source: SourceName): string;
  part(): Part;
}

export function createFootnotes(): Footnotes {
  const used: SourceName[] = [];
  return {
    mark: (source) => {
      if (!used.includes(source)) {
        used.push(source);
      }
      return `[${String(used.indexOf(source) + 1)}]`;
    },
    part: () => ({
      kind: 'text',
      lines: used.map((source, index) => `[${String(index + 1)}] ${sources[source]}`),
    }),
  };
}
