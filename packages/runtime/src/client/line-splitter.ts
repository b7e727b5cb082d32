import { largestEvent } from '../wire/largest-event.ts';

const newline = 0x0a;

/** Puts the chunks of a stream back together into lines. */
export interface LineSplitter {
  /** @throws Error if a line has more than 16 MiB; also what the callback throws. */
  push(chunk: Buffer): void;
}

/**
 * Creates a splitter that calls back with each whole line, without its newline; empty lines are left out. An
 * unfinished line waits for the next chunk. It is dropped with the splitter when the stream ends, since half
 * an event is no event.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  let rest: Buffer[] = [];
  let restLength = 0;
  return {
    push: (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        // A line is decoded only when it is complete, since a chunk can end within a character.
        const line =
          rest.length === 0
            ? chunk.toString('utf8', start, end)
            : Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8');
        rest = [];
        restLength = 0;
        start = end + 1;
        if (line !== '') {
          onLine(line);
        }
      }
      if (start < chunk.length) {
        rest.push(start === 0 ? chunk : chunk.subarray(start));
        restLength += chunk.length - start;
        if (restLength > largestEvent) {
          throw new Error(
            `an event has more than ${largestEvent} bytes; look at what stands between this program and the API server`,
          );
        }
      }
    },
  };
}
