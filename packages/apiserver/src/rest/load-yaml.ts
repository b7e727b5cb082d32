import { CORE_SCHEMA, load } from 'js-yaml';

/**
 * Parses a YAML document as Go does: dates stay strings, as in JSON, and if a key is given twice, the last value
 * counts.
 *
 * @throws Error if the text is no YAML, or if its aliases stand for too much. A short text can stand for billions
 *   of values (`a: &a [x, x], b: [*a, *a]`, and so on), which all code behind this would visit.
 */
export function loadYaml(text: string): unknown {
  const value = load(text, { schema: CORE_SCHEMA, json: true });
  checkAliases(value);
  return value;
}

/** By the measure of Go's package yaml: which share of all values may come from aliases. */
function checkAliases(root: unknown): void {
  const seen = new Set<object>();
  let values = 0;
  let fromAliases = 0;
  const visit = (value: unknown, isAliased: boolean): void => {
    values++;
    fromAliases += isAliased ? 1 : 0;
    if (fromAliases > 100 && values > 1000 && fromAliases / values > allowedShare(values)) {
      throw new Error('document contains excessive aliasing');
    }
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const isAgain = isAliased || seen.has(value);
    seen.add(value);
    for (const item of Object.values(value)) {
      visit(item, isAgain);
    }
  };
  visit(root, false);
}

const [few, many] = [400_000, 4_000_000];

function allowedShare(values: number): number {
  if (values <= few) {
    return 0.99;
  }
  return values >= many ? 0.1 : 0.99 - (0.89 * (values - few)) / (many - few);
}
