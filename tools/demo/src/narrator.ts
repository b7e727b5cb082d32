/** A step of the story did not hold. */
export class StoryFailed extends Error {
  override readonly name = 'StoryFailed';
}

/** Tells a story, a line a step. */
export interface Narrator {
  heading(text: string): void;
  say(text: string): void;
  fail(text: string): void;
  /** Does the step and tells it when it holds, with the time it took. */
  step(text: string, act: () => Promise<void>): Promise<void>;
}

export function createNarrator(output: NodeJS.WritableStream): Narrator {
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
