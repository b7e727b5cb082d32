import {
  LabelSelectorError,
  requirementsOf,
  type LabelSelector,
  type Requirement,
} from './label-selector.ts';

/**
 * Parses a selector in the syntax of `kubectl -l` and list requests: `app=web,tier!=db,env in (a,b),!canary`.
 * An empty text selects everything.
 *
 *     key                       Exists
 *     !key                      DoesNotExist
 *     key=a  key==a  key=       In, with one value, which is empty if none is given
 *     key!=a                    NotIn: also holds if the label is missing
 *     key in (a,b)  key in ()   In; nothing between commas or parentheses is the empty value
 *     key notin (a,b)           NotIn
 *
 * In with one value becomes an entry of `matchLabels`. If the text requires another value of the same key
 * too, both are kept, and the selector selects nothing. `key>1` and `key<1` are refused, since
 * metav1.LabelSelector has no operator for them.
 *
 * @throws LabelSelectorError for any other term, and for keys and values that no label can have.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: Requirement[] = [];
  for (const requirement of requirementsOf({ matchExpressions: termsOf(text).map(readTerm) })) {
    const { key, operator, values } = requirement;
    const [value, ...more] = values;
    if (operator !== 'In' || value === undefined || more.length > 0) {
      matchExpressions.push(requirement);
    } else if (!Object.hasOwn(matchLabels, key)) {
      matchLabels[key] = value;
    } else if (matchLabels[key] !== value) {
      matchExpressions.push(requirement);
    }
  }
  const labels = Object.keys(matchLabels).length === 0 ? {} : { matchLabels };
  const expressions = matchExpressions.length === 0 ? {} : { matchExpressions };
  return { ...labels, ...expressions };
}

/**
 * Formats a selector for list and watch requests; {@link parseLabelSelector} reads it back with the same
 * meaning. Terms are sorted, so that selectors that differ only in order have the same text.
 *
 * It does not accept a missing selector: that selects nothing, whereas an empty text selects everything.
 *
 * @throws LabelSelectorError as `labelMatcher` does, since a value with a comma in it would change the
 *   meaning.
 */
export function formatLabelSelector(selector: LabelSelector): string {
  return [...new Set(requirementsOf(selector).map(termOf))].sort().join(',');
}

/**
 * Splits at commas outside of parentheses. Two commas in a row yield a term that is a comma, and a comma at
 * the end yields an empty term.
 */
function termsOf(text: string): readonly string[] {
  if (text.trim() === '') {
    return [];
  }
  const pieces = text.match(/(?:[^,(]|\([^)]*\)?)+|,/g) ?? [];
  const terms = pieces.filter((_, index) => index % 2 === 0);
  return pieces.length % 2 === 0 ? [...terms, ''] : terms;
}

function readTerm(text: string): Requirement {
  const term = text.trim();
  const read = otherSpace.test(text) ? undefined : (existence(term) ?? equality(term) ?? membership(term));
  if (read === undefined) {
    throw new LabelSelectorError(
      `label selector: can't read ${JSON.stringify(term)}; write key, !key, key=a, key!=a, key in (a,b) or key notin (a,b), with commas between them`,
    );
  }
  return read;
}

/** Whitespace that API servers take for a part of keys and values, and then refuse. */
const otherSpace = /[^\S \t\r\n]/;

function existence(term: string): Requirement | undefined {
  const [, not, key] = /^(!?)\s*([^\s=!(),<>]+)$/.exec(term) ?? [];
  return key === undefined
    ? undefined
    : { key, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}

function equality(term: string): Requirement | undefined {
  const [, key, sign, value] = /^([^\s=!(),<>]+)\s*(!=|==?)\s*([^\s=!(),<>]*)$/.exec(term) ?? [];
  return key === undefined || value === undefined
    ? undefined
    : { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
}

function membership(term: string): Requirement | undefined {
  const [, key, word, list] = /^([^\s=!(),<>]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(term) ?? [];
  return key === undefined || list === undefined
    ? undefined
    : { key, operator: word === 'in' ? 'In' : 'NotIn', values: list.split(',').map((each) => each.trim()) };
}

function termOf({ key, operator, values }: Requirement): string {
  const list = [...new Set(values)].sort();
  const several = list.length > 1 ? `(${list.join(',')})` : undefined;
  switch (operator) {
    case 'In':
      return several === undefined ? `${key}=${list.join()}` : `${key} in ${several}`;
    case 'NotIn':
      return several === undefined ? `${key}!=${list.join()}` : `${key} notin ${several}`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
