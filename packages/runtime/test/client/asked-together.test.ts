import { expect, test } from '@jest/globals';
import { settled } from '@holdfast/testing/fake-clock';
import { askedTogether } from '../../src/client/asked-together.ts';

/** Questions that are answered by hand, in the order in which they are begun. */
function open() {
  const questions: PromiseWithResolvers<string>[] = [];
  const ask = askedTogether(() => {
    const question = Promise.withResolvers<string>();
    questions.push(question);
    return question.promise;
  });
  return {
    ask,
    begun: () => questions.length,
    answer: async (at: number, text: string) => {
      questions[at]?.resolve(text);
      await settled();
    },
    fail: async (at: number, text: string) => {
      questions[at]?.reject(new Error(text));
      await settled();
    },
  };
}

/** What became of an answer: its text, or that of the error. */
const outcome = (answer: Promise<string>) =>
  answer.catch((error: unknown) => (error instanceof Error ? `Error: ${error.message}` : 'another'));

test('nobody asks -> no question is begun', () => {
  expect(open().begun()).toBe(0);
});

test('one caller -> asked at once, and its answer given', async () => {
  const { ask, answer, begun } = open();
  const one = outcome(ask());
  expect(begun()).toBe(1);
  await answer(0, 'a');
  await expect(one).resolves.toBe('a');
});

test('callers while a question is under way -> one question for all of them, begun when that is answered', async () => {
  const { ask, answer, begun } = open();
  const first = outcome(ask());
  const [second, third] = [outcome(ask()), outcome(ask())];
  await settled();
  expect(begun()).toBe(1);
  await answer(0, 'a');
  expect(begun()).toBe(2);
  await answer(1, 'b');
  await expect(Promise.all([first, second, third])).resolves.toEqual(['a', 'b', 'b']);
});

test('caller while the second question is under way -> a third', async () => {
  const { ask, answer, begun } = open();
  const first = outcome(ask());
  const second = outcome(ask());
  await answer(0, 'a');
  const third = outcome(ask());
  await answer(1, 'b');
  expect(begun()).toBe(3);
  await answer(2, 'c');
  await expect(Promise.all([first, second, third])).resolves.toEqual(['a', 'b', 'c']);
});

test('caller after an answer -> asked anew, at once', async () => {
  const { ask, answer, begun } = open();
  const first = outcome(ask());
  await answer(0, 'a');
  const second = outcome(ask());
  expect(begun()).toBe(2);
  await answer(1, 'b');
  await expect(Promise.all([first, second])).resolves.toEqual(['a', 'b']);
});

test('caller asks again on the answer, another waits for the next -> one question for both, and never two at once', async () => {
  const { ask, answer, begun } = open();
  const again = ask().then(() => outcome(ask()));
  const waiting = outcome(ask());
  await answer(0, 'a');
  expect(begun()).toBe(2);
  await answer(1, 'b');
  expect(begun()).toBe(2);
  await expect(Promise.all([again, waiting])).resolves.toEqual(['b', 'b']);
});

test('question fails -> its callers are told, those who wait for the next get its answer', async () => {
  const { ask, answer, fail } = open();
  const first = outcome(ask());
  const second = outcome(ask());
  await fail(0, 'cut');
  await answer(1, 'b');
  await expect(Promise.all([first, second])).resolves.toEqual(['Error: cut', 'b']);
});

test('next question fails -> all who waited for it are told', async () => {
  const { ask, answer, fail } = open();
  const first = outcome(ask());
  const [second, third] = [outcome(ask()), outcome(ask())];
  await answer(0, 'a');
  await fail(1, 'cut');
  await expect(Promise.all([first, second, third])).resolves.toEqual(['a', 'Error: cut', 'Error: cut']);
});

test('caller after a failure -> asked anew, at once', async () => {
  const { ask, answer, fail } = open();
  const first = outcome(ask());
  await fail(0, 'cut');
  const second = outcome(ask());
  await answer(1, 'b');
  await expect(Promise.all([first, second])).resolves.toEqual(['Error: cut', 'b']);
});
