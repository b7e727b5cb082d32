import type fc from 'fast-check';

/** Something that takes input from outside, and what inputs of all kinds must not do to it. */
export interface Target<Input = unknown> {
  /** Also the name of its folder in the corpus. */
  readonly name: string;
  /** What is JSON, so that it can be kept. */
  readonly input: fc.Arbitrary<Input>;
  /** @throws Error when the input does what it must not. */
  play(input: Input): Promise<void>;
}
