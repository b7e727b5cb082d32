/*
 * Translates Go's regular expressions for re2js, which knows Unicode categories only by their short names and
 * allows a name for only one group.
 */

/**
 * The short names of categories by their other names, normalized as Go compares them: in lower case, without
 * separators.
 */
const categories: Readonly<Record<string, string>> = {
  ...{
    casedletter: 'LC',
    closepunctuation: 'Pe',
    cntrl: 'Cc',
    combiningmark: 'M',
    control: 'Cc',
    digit: 'Nd',
  },
  ...{ connectorpunctuation: 'Pc', currencysymbol: 'Sc', dashpunctuation: 'Pd', decimalnumber: 'Nd' },
  ...{ enclosingmark: 'Me', finalpunctuation: 'Pf', format: 'Cf', initialpunctuation: 'Pi', letter: 'L' },
  ...{ letternumber: 'Nl', lineseparator: 'Zl', lowercaseletter: 'Ll', mark: 'M', mathsymbol: 'Sm' },
  ...{ modifierletter: 'Lm', modifiersymbol: 'Sk', nonspacingmark: 'Mn', number: 'N', openpunctuation: 'Ps' },
  ...{ other: 'C', otherletter: 'Lo', othernumber: 'No', otherpunctuation: 'Po', othersymbol: 'So' },
  ...{ paragraphseparator: 'Zp', privateuse: 'Co', punct: 'P', punctuation: 'P', separator: 'Z' },
  ...{ spaceseparator: 'Zs', spacingmark: 'Mc', surrogate: 'Cs', symbol: 'S', titlecaseletter: 'Lt' },
  ...{ unassigned: 'Cn', uppercaseletter: 'Lu', lc: 'LC' },
};

/**
 * Matches, in this order: a quoted part; a class by its name (no name is longer than 60 characters); an
 * escape; the beginning and end of brackets; and the beginning of a named group.
 */
const piece =
  /\\Q[^]*?(?:\\E|$)|\\([pP])(?:\{(\^?)([^}]{0,60})\}|([a-z]))|\\[^]|\[:\^?\w+:\]|\[\^?\]?|\]|\(\?P?<(\w+)>/gu;

/** Translates an expression for re2js. An invalid expression stays invalid. */
export function goExpression(pattern: string): string {
  const names = new Set<string>();
  let isInBrackets = false;
  return pattern.replaceAll(piece, (found, ...groups: readonly (string | undefined)[]) => {
    const [letter, negation = '', className = '', initial = '', group] = groups;
    if (letter !== undefined) {
      return characterClass(letter, negation, className || initial, isInBrackets);
    }
    if (group !== undefined) {
      const isNew = isInBrackets || !names.has(group);
      names.add(group);
      return isNew ? found : '(';
    }
    if (found.startsWith('[') && !found.startsWith('[:')) {
      isInBrackets = true;
    } else if (found === ']') {
      isInBrackets = false;
    }
    return found;
  });
}

function characterClass(letter: string, negation: string, name: string, isInBrackets: boolean): string {
  const canonical = name.replaceAll(/[-_ ]/g, '').toLowerCase();
  if (canonical === 'ascii') {
    const characters = (letter === 'P') === (negation === '^') ? '\\x00-\\x7f' : '\\x{80}-\\x{10ffff}';
    return isInBrackets ? characters : `[${characters}]`;
  }
  const short = categories[canonical] ?? canonical.charAt(0).toUpperCase() + canonical.slice(1);
  return `\\${letter}{${negation}${short}}`;
}
