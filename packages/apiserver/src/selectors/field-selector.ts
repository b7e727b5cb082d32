import { badRequest } from '../meta/status-error.ts';

/* Field selectors (k8s.io/apimachinery/pkg/fields): equality on the few fields that a kind offers. */

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/**
 * Parses the fieldSelector of a query. Throws 400 if it is not a selector. Whether the kind offers the fields
 * is checked elsewhere.
 */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^(.*?)(==|!=|=)(.*)$/s.exec(term);
      if (match === null) {
        throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: value.replace(/\\([\\,=])/g, '$1') };
    });
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '\\') {
      term += character + (text[++index] ?? '');
    } else if (character === ',') {
      terms.push(term);
      term = '';
    } else {
      term += character;
    }
  }
  terms.push(term);
  return terms;
}
