/** Where a command writes its output. */
export interface Output {
  /** Writes what was requested. */
  write(text: string): void;
  /** Writes one line of further information. */
  say(line: string): void;
}

/** Returns the output of a program: what was requested goes to the first stream, everything else to the second. */
export function outputTo(stdout: TextStream, stderr: TextStream): Output {
  return {
    write: (text) => void stdout.write(text),
    say: (line) => void stderr.write(`holdfast: ${line}\n`),
  };
}

interface TextStream {
  write(text: string): unknown;
}
