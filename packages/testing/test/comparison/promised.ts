import type { Played } from './comparable.ts';
import { promisedKinds } from './promised-kinds.ts';

/*
 * What the embedded server promises of the answers to mutated objects, see packages/apiserver/README.md: it refuses
 * none that the real one takes, and gives those that both take the same defaults. Of the kinds of promised-kinds.ts, it
 * takes none that the real one refuses. In what words it refuses, and who owns a list that was given empty, may differ.
 */

/** What both servers showed, without what is not promised. */
export function promised(embedded: Played, real: Played): readonly [embedded: unknown, real: unknown] {
  const pairs = embedded.answers.map((own, index) => {
    const other = real.answers[index];
    if (other === undefined || !own.line.startsWith('TRY:')) {
      return [own, other];
    }
    const [code, wanted] = [own.answer.code, other.answer.code];
    const [, plural = ''] = /\/(\w+)\?/.exec(own.line) ?? [];
    const asGood = promisedKinds.has(plural) ? [422] : [201, 409, 422];
    if (wanted === 422 && asGood.includes(code)) {
      return [];
    }
    return code === 201 && wanted === 201
      ? [withoutManagers(own), withoutManagers(other)]
      : [
          { line: own.line, code },
          { line: own.line, code: wanted },
        ];
  });
  return [
    { ...embedded, answers: pairs.map(([own]) => own) },
    { ...real, answers: pairs.map(([, other]) => other) },
  ];
}

function withoutManagers({ line, answer }: Played['answers'][number]): unknown {
  const { metadata, ...body } = answer.body as { readonly metadata: object };
  return {
    line,
    answer: { ...answer, body: { ...body, metadata: { ...metadata, managedFields: undefined } } },
  };
}
