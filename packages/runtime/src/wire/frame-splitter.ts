import { largestEvent } from './largest-event.ts';

/** The number of bytes before each frame that hold its length, most significant byte first. */
const headLength = 4;

/** Puts the chunks of a stream back together into frames. */
export interface FrameSplitter {
  /** @throws Error as soon as a frame is known to have more than 16 MiB; also what the callback throws. */
  push(chunk: Buffer): void;
}

/**
 * Creates a splitter that calls back with each whole frame, which is not copied if it came in one chunk. An
 * unfinished frame waits for the next chunk. It is dropped with the splitter when the stream ends, since half
 * an event is no event.
 */
export function createFrameSplitter(onFrame: (frame: Buffer) => void): FrameSplitter {
  let waiting: Buffer[] = [];
  let waitingLength = 0;
  /** Length of the unfinished frame including its head, as far as it is known. */
  let needed = headLength;

  return {
    push: (chunk) => {
      waiting.push(chunk);
      waitingLength += chunk.length;
      if (waitingLength < needed) {
        return;
      }
      const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting, waitingLength);
      let start = 0;
      needed = headLength;
      while (bytes.length - start >= needed) {
        const length = bytes.readUInt32BE(start);
        if (length > largestEvent) {
          throw new Error(
            `an event has more than ${largestEvent} bytes; look at what stands between this program and the API server`,
          );
        }
        needed = headLength + length;
        if (bytes.length - start < needed) {
          break;
        }
        const end = start + needed;
        onFrame(bytes.subarray(start + headLength, end));
        start = end;
        needed = headLength;
      }
      waiting = start === bytes.length ? [] : [bytes.subarray(start)];
      waitingLength = bytes.length - start;
    },
  };
}
