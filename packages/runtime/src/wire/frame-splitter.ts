/** Length of what comes before each frame: the frame's own length, most significant byte first. */
const headLength = 4;

/** Puts a stream of chunks back together to frames. */
export interface FrameSplitter {
  /** @throws what the callback throws */
  push(chunk: Buffer): void;
}

/**
 * Calls back with each whole frame, which is a part of a chunk where it came in one. What comes after the last whole frame
 * waits for the next chunk, and is dropped with the splitter when the stream ends: half an event is none.
 */
export function createFrameSplitter(onFrame: (frame: Buffer) => void): FrameSplitter {
  let waiting: Buffer[] = [];
  let waitingLength = 0;
  /** Bytes that the frame under way needs with its head, as far as known. */
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
        needed = headLength + bytes.readUInt32BE(start);
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
