/** A step of the story did not do what it should. */
export class StoryFailed extends Error {
  override readonly name = 'StoryFailed';
}

/** Prints a story, one line per step. */
export interface Narrator {
  heading(text: string): void;
  say(text: string): void;
  fail(text: string): void;
  /** Runs the step and, if it succeeds, prints it with the time that it took. */
  step(text: string, act: () => Promise<void>): Promise<void>;
}

/** What text is written to. */
export interface TextStream {
  write(text: string): unknown;
}

export function createNarrator(output: TextStream): Narrator {
  let count = 0;
  const write = (line: string): void => {
    output.write(`${line}\n`);
  };
  return {
    heading: (text) => write(`\n${text}`),
    say: (text) => write(`  ${text}`),
    fail: (text) => write(`  FAILED: ${text}`),
    step: async (text, act) => {
      count += 1;
      const started = performance.now();
      await act();
      write(`  ${count}. ${text} (${(performance.now() - started).toFixed(0)} ms)`);
    },
  };
}
