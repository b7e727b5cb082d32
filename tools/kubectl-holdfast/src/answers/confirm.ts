import { UsageError } from '@holdfast/runtime';
import type { Answer } from '../output/print.ts';

/** Shows what would be done, and asks whether to do it. */
export type Confirm = (planned: Answer, question: string) => Promise<boolean>;

/** @throws UsageError always, because nobody is there to answer */
export const confirmByNobody: Confirm = () =>
  Promise.reject(
    new UsageError('there is no terminal to ask for confirmation: add --yes, or run it on a terminal'),
  );
