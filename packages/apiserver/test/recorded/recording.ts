import { readFileSync, writeFileSync } from 'node:fs';
import type { Recorded } from './replay.ts';

/**
 * What kube-apiserver answered, in a file of one line for each answer, so that a changed answer is a changed line.
 *
 * Some answers hold ages, so that a replay sets the clock of the server to `recordedAt`.
 */
export interface Recording<Answer extends Recorded = Recorded> {
  /** When the real server answered, milliseconds since 1970. */
  readonly recordedAt: number;
  readonly answers: readonly (Answer & { readonly scenario: string })[];
}

/** @param name of the file in this folder. */
export function readRecording<Answer extends Recorded = Recorded>(name: string): Recording<Answer> {
  const { recordedAt, answers } = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as {
    readonly recordedAt: string;
    readonly answers: Recording<Answer>['answers'];
  };
  return { recordedAt: Date.parse(recordedAt), answers };
}

export function writeRecording(name: string, { recordedAt, answers }: Recording): void {
  const lines = answers.map((answer) => JSON.stringify(answer)).join(',\n');
  const text = `{"recordedAt":"${new Date(recordedAt).toISOString()}","answers":[\n${lines}\n]}\n`;
  writeFileSync(new URL(name, import.meta.url), text);
}
