import { counted, kindWords, markWords } from '../model/words.ts';
import type { Item, Link } from '../model/picture.ts';
import { element } from './element.ts';

/** The part of `explain`'s answer that is shown; see `explain -o json`. */
interface Explanation {
  readonly state: string;
  readonly holders: readonly {
    readonly kind: string;
    readonly name: string;
    readonly holds: boolean | 'unknown';
    readonly words: string;
    readonly source?: string;
  }[];
  readonly next: readonly { readonly who: string; readonly does: string; readonly source?: string }[];
  readonly ifs: readonly { readonly what: string; readonly then: string; readonly source?: string }[];
}

/** The names of the kinds in kubectl holdfast explain, which cannot explain a pod. */
const explained: Readonly<Record<Item['kind'], string | undefined>> = {
  set: 'sts',
  pod: undefined,
  claim: 'pvc',
  volume: 'pv',
  class: 'sc',
};

/** What to explain. */
export interface Subject {
  readonly item: Item;
  readonly links: readonly Link[];
  /** Whether it is another object than the one explained before. */
  readonly isAnother: boolean;
}

/** The maximum of rows to show in a table or list: a claim can have thousands of pods. */
const mostRows = 200;

/**
 * Shows what the drawing says about an item, and below it the answer of `explain`, unless the user chooses
 * another item in the meantime. Never rejects.
 */
export async function explain(
  target: HTMLElement,
  { item, links, isAnother }: Subject,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const mark = markWords(item, now);
  const head = [
    element('h2', { text: `${kindWords[item.kind]} ${item.name}` }),
    ...(mark === undefined || item.mark === undefined
      ? []
      : [element('p', { text: `It ${mark}: ${item.mark.because}. To keep it:` }), keepOf(item.mark.keep)]),
    ...list(
      'In the drawing',
      links.filter(({ from, to }) => from === item.id || to === item.id).map(({ words }) => words),
    ),
    ...list('Besides', item.notes),
  ];
  const kind = explained[item.kind];
  if (kind === undefined || item.isMissing) {
    target.replaceChildren(...head, element('p', { text: item.state }));
    return;
  }
  const query = new URLSearchParams({
    ...{ kind, name: item.name },
    ...(item.namespace === undefined ? {} : { namespace: item.namespace }),
  });
  if (isAnother) {
    target.replaceChildren(...head, element('p', { text: 'Asking.' }));
  }
  const answered = await ask(query, signal);
  if (!signal.aborted) {
    target.replaceChildren(...head, ...answered);
  }
}

function keepOf(keep: string): HTMLElement {
  return element('p', {}, element('code', { text: keep }));
}

async function ask(query: URLSearchParams, signal: AbortSignal): Promise<readonly HTMLElement[]> {
  try {
    const response = await fetch(`explain?${query.toString()}`, { signal });
    const body = (await response.json()) as Explanation | { readonly error: string };
    return 'error' in body ? [element('p', { text: body.error })] : tables(body);
  } catch {
    return [element('p', { text: 'There is no explanation: kubectl holdfast view does not answer.' })];
  }
}

function tables({ state, holders, next, ifs }: Explanation): readonly HTMLElement[] {
  return [
    element('p', { text: `${state}.` }),
    ...table(
      ['What', 'Holds', 'State'],
      holders.map((each) => [
        `${each.kind} ${each.name}`,
        each.holds === 'unknown' ? 'unknown' : each.holds ? 'yes' : 'no',
        each.words,
        each.source,
      ]),
    ),
    ...table(
      ['Next', 'Does'],
      next.map(({ who, does, source }) => [who.replace(/,$/, ''), does, source]),
    ),
    ...table(
      ['If', 'Then'],
      ifs.map(({ what, then, source }) => [what, then, source]),
    ),
    element('p', {}, element('small', { text: `As of ${new Date().toLocaleTimeString()}` })),
  ];
}

/** @param rows have one cell more than there are headings: the source of the last one */
function table(
  headings: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): readonly HTMLElement[] {
  if (rows.length === 0) {
    return [];
  }
  const head = element('tr', {}, ...headings.map((text) => element('th', { text })));
  const rest =
    rows.length > mostRows ? [element('p', { text: `${counted(rows.length - mostRows, 'row')} more` })] : [];
  const body = rows.slice(0, mostRows).map((cells) =>
    element(
      'tr',
      {},
      ...headings.map((_, column) => {
        const source = column === headings.length - 1 ? cells[headings.length] : undefined;
        const small = source === undefined ? [] : [element('small', { text: source })];
        return element('td', { text: cells[column] ?? '' }, ...small);
      }),
    ),
  );
  return [element('table', {}, element('thead', {}, head), element('tbody', {}, ...body)), ...rest];
}

function list(heading: string, texts: readonly string[]): readonly HTMLElement[] {
  return texts.length === 0
    ? []
    : [
        element('h3', { text: heading }),
        element('ul', {}, ...texts.slice(0, mostRows).map((text) => element('li', { text }))),
        ...(texts.length > mostRows
          ? [element('p', { text: `${counted(texts.length - mostRows, 'line')} more` })]
          : []),
      ];
}
