import { RE2JS, RE2JSSyntaxException } from 're2js';
import { goExpression } from './go-expression.ts';

/*
 * Go's regular expressions. Matching takes at most time proportional to the length of the text times that of
 * the expression. JavaScript's own expressions backtrack, which practically never ends for `(a+)+$`.
 */

export interface RegularExpression {
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * Returns the matches from left to right, without overlaps.
   *
   * @param limit the maximum number of matches; Infinity for all
   */
  findAll(text: string, limit: number): string[];
}

/** The text is not a valid Go regular expression. */
export class ExpressionError extends Error {}

/** A cache of recently used expressions: rules and schemas use few. */
const known = new Map<string, RegularExpression>();
const mostKnown = 256;

/** @throws ExpressionError for a text that is not a valid Go expression */
export function regularExpression(pattern: string): RegularExpression {
  let found = known.get(pattern);
  if (found === undefined) {
    found = newExpression(compile(pattern));
    if (known.size >= mostKnown) {
      known.clear();
    }
    known.set(pattern, found);
  }
  return found;
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(goExpression(pattern));
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      const problem = (problemOf(pattern) ?? error.message).replace(/end of expression$/, '$&: ``');
      throw new ExpressionError(problem, { cause: error });
    }
    throw error;
  }
}

/** Returns the problem, in terms of the text as it was given. */
function problemOf(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof RE2JSSyntaxException ? error.message : undefined;
  }
}

function newExpression(compiled: RE2JS): RegularExpression {
  return {
    test: (text) => compiled.matcher(text).find(),
    findAll(text, limit) {
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      let endBefore = -1;
      while (found.length < limit && matcher.find()) {
        // Like Go, ignores an empty match right after the previous match.
        if (matcher.start() !== matcher.end() || matcher.start() !== endBefore) {
          found.push(matcher.group() ?? '');
        }
        endBefore = matcher.end();
      }
      return found;
    },
  };
}
