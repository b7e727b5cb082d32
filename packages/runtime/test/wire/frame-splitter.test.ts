import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFrameSplitter } from '../../src/wire/frame-splitter.ts';

function framed(frames: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    frames.flatMap((frame) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(frame.length);
      return [length, frame];
    }),
  );
}

describe('frames', () => {
  test('any frames, cut anywhere -> come whole and in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
        fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        (frames, cuts) => {
          const seen: string[] = [];
          const splitter = createFrameSplitter((frame) => seen.push(frame.toString('hex')));
          const bytes = framed(frames);
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted(
            (a, b) => a - b,
          );
          for (const [index, place] of places.entries()) {
            splitter.push(bytes.subarray(place, places[index + 1] ?? place));
          }
          expect(seen).toEqual(frames.map((frame) => Buffer.from(frame).toString('hex')));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('half a frame at the end -> no callback', () => {
    const seen: Buffer[] = [];
    const splitter = createFrameSplitter((frame) => seen.push(frame));
    splitter.push(framed([Buffer.from('whole'), Buffer.from('half')]).subarray(0, -1));
    expect(seen.map(String)).toEqual(['whole']);
  });
});
