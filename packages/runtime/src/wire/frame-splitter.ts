import { largestEvent } from './largest-event.ts';

/** Bytes before each frame, which hold its length, most significant byte first. */
const headLength = 4;

/** Puts the chunks of a stream back together into frames. */
export interface FrameSplitter {
  /** @throws Error when a frame has more than 16 MiB, as soon as that is known; what the callback throws. */
  push(chunk: Buffer): void;
}

/**
 * Calls back with each whole frame, not copied where it came in one chunk. An unfinished frame waits for the next chunk, and is
 * dropped with the splitter when the stream ends: half an event is no event.
 */
export function createFrameSplitter(onFrame: (frame: Buffer) => void): FrameSplitter {
  let waiting: Buffer[] = [];
  let waitingLength = 0;
  /** Length of the unfinished frame with its head, as far as it is known. */
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
