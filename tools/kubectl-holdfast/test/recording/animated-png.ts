import { crc32, deflateSync, inflateSync } from 'node:zlib';

/*
 * An animated PNG of screenshots: a browser has made the pictures, and what is left is to number their parts
 * (https://www.w3.org/TR/png-3/). Written here because the libraries for it decode and compress every picture anew, or are not kept up.
 */

/** A picture that is laid over those before it, and for how long it is shown. */
export interface Frame {
  /** A whole PNG. */
  readonly png: Buffer;
  /** Pixels from the left and from the top. */
  readonly x: number;
  readonly y: number;
  /** Milliseconds, up to 65,535. */
  readonly shownFor: number;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * @param frames the first as large as the whole; all of the same bit depth and colours, without a palette. Played again
 *   and again.
 * @throws RangeError when there is no frame, or one is not of the first one's sort.
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) {
    throw new RangeError('an animation of no frames; give at least one');
  }
  const header = headerOf(chunksOf(first.png));
  let sequence = 0;
  const body = frames.flatMap((frame, index): Chunk[] => {
    const chunks = chunksOf(frame.png);
    const own = headerOf(chunks);
    if (!own.subarray(8).equals(header.subarray(8))) {
      throw new RangeError(
        `frame ${String(index)} has another bit depth or other colours than the first; take all pictures alike`,
      );
    }
    const control: Chunk = { type: 'fcTL', data: controlOf(frame, own, sequence++) };
    const data = compressed(chunks);
    return [
      control,
      index === 0 ? { type: 'IDAT', data } : { type: 'fdAT', data: Buffer.concat([word(sequence++), data]) },
    ];
  });
  return Buffer.concat([
    signature,
    ...[
      { type: 'IHDR', data: header },
      { type: 'acTL', data: Buffer.concat([word(frames.length), word(0)]) },
      ...body,
      { type: 'IEND', data: Buffer.alloc(0) },
    ].map(written),
  ]);
}

/** @throws RangeError when it is no PNG. */
export function chunksOf(png: Buffer): readonly Chunk[] {
  if (!png.subarray(0, signature.length).equals(signature)) {
    throw new RangeError(`no PNG: it begins with ${png.subarray(0, signature.length).toString('hex')}`);
  }
  const chunks: Chunk[] = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const start = at + 8;
    chunks.push({ type: png.toString('latin1', at + 4, start), data: png.subarray(start, start + length) });
    at = start + length + 4;
  }
  return chunks;
}

/** The picture's lines, compressed as well as can be: a browser makes haste instead. */
function compressed(chunks: readonly Chunk[]): Buffer {
  const parts = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  return deflateSync(inflateSync(Buffer.concat(parts)), { level: 9 });
}

function headerOf(chunks: readonly Chunk[]): Buffer {
  const [first] = chunks;
  if (first?.type !== 'IHDR') {
    throw new RangeError(`a PNG that begins with ${first?.type ?? 'nothing'} instead of IHDR`);
  }
  return first.data;
}

function controlOf({ x, y, shownFor }: Frame, header: Buffer, sequence: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(shownFor, 0);
  delay.writeUInt16BE(1_000, 2);
  // It stays where it is (dispose 0), and replaces what is below it (blend 0).
  return Buffer.concat([word(sequence), header.subarray(0, 8), word(x), word(y), delay]);
}

function written({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([word(data.length), named, word(crc32(named))]);
}

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}
