import { RE2JS, RE2JSSyntaxException } from 're2js';
import { goExpression } from './go-expression.ts';

/*
 * Go's regular expressions. The time that one takes is bounded by the length of the text times that of the expression. JavaScript's own expressions
 * try one way after the other, which for `(a+)+$` takes longer than anybody lives.
 */

export interface RegularExpression {
  /** Whether it is anywhere in the text. */
  test(text: string): boolean;
  /** The matches from the left to the right, none upon another. @param limit Infinity: all. */
  findAll(text: string, limit: number): string[];
}

/** The text is no regular expression of Go's. */
export class ExpressionError extends Error {}

/** Those that were asked for last: rules and schemas have few. */
const known = new Map<string, RegularExpression>();
const mostKnown = 256;

/** @throws ExpressionError for a text that is no expression of Go's. */
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

/** In the words that the text was given in. */
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
        // As Go has it: what is empty does not touch the match before.
        if (matcher.start() !== matcher.end() || matcher.start() !== endBefore) {
          found.push(matcher.group() ?? '');
        }
        endBefore = matcher.end();
      }
      return found;
    },
  };
}
