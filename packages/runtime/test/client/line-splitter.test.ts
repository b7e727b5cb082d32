import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLineSplitter } from '../../src/client/line-splitter.ts';
import { character } from '../character.ts';

function linesOf(chunks: readonly Buffer[]): readonly string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  chunks.forEach((chunk) => splitter.push(chunk));
  return lines;
}

const line = fc
  .oneof(fc.string({ unit: character }), fc.constantFrom('', 'ü', '漢字', '🙂', '{"type":"ADDED"}', '\r'))
  .map((text) => text.replaceAll('\n', ''));

test('any lines in any chunks, cut within characters too -> the same lines without the empty ones', () => {
  fc.assert(
    fc.property(fc.array(line), line, fc.array(fc.nat(200)), (lines, unfinished, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join('') + unfinished);
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(linesOf(chunks)).toEqual(lines.filter((each) => each !== ''));
    }),
    { numRuns: 300 },
  );
});

test('stream ends within a line -> that line is dropped', () => {
  expect(linesOf([Buffer.from('whole\nha'), Buffer.from('lf')])).toEqual(['whole']);
});

test('callback throws -> the caller of push gets it', () => {
  const splitter = createLineSplitter(() => {
    throw new Error('not JSON');
  });
  expect(() => splitter.push(Buffer.from('x\n'))).toThrow('not JSON');
});
