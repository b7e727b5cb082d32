import type fc from 'fast-check';

/** Code that takes input from outside, and what no input may make it do. */
export interface Target<Input = unknown> {
  /** The name, which is also that of its folder in the corpus. */
  readonly name: string;
  /** The input must be JSON, so that it can be saved. */
  readonly input: fc.Arbitrary<Input>;
  /** @throws Error if the input makes it do what it must not */
  play(input: Input): Promise<void>;
}
