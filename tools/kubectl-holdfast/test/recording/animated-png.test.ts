import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { animatedPng, chunksOf } from './animated-png.ts';

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

/** A picture of one grey, 8 bits deep, in two IDAT chunks as large pictures have several. */
function grey(width: number, height: number, shade: number, colours = 0): Buffer {
  const lines = Buffer.concat(
    Array.from({ length: height }, () => Buffer.from([0, ...Array<number>(width).fill(shade)])),
  );
  const data = deflateSync(lines);
  const chunks: readonly (readonly [string, Buffer])[] = [
    ['IHDR', Buffer.concat([word(width), word(height), Buffer.from([8, colours, 0, 0, 0])])],
    ['tEXt', Buffer.from('Software\0a browser')],
    ['IDAT', data.subarray(0, 5)],
    ['IDAT', data.subarray(5)],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunks.map(([type, content]) => {
      const named = Buffer.concat([Buffer.from(type), content]);
      return Buffer.concat([word(content.length), named, word(crc32(named))]);
    }),
  ]);
}

const three = [
  { png: grey(4, 3, 10), x: 0, y: 0, shownFor: 1_000 },
  { png: grey(2, 3, 20), x: 2, y: 0, shownFor: 0 },
  { png: grey(1, 1, 30), x: 0, y: 2, shownFor: 65_535 },
];

describe('animated PNG', () => {
  const made = animatedPng(three);
  const chunks = chunksOf(made);
  const of = (wanted: string): readonly Buffer[] =>
    chunks.filter(({ type }) => type === wanted).map(({ data }) => data);

  test('three frames -> the first is the picture of who knows no animation, the others follow it', () => {
    expect(chunks.map(({ type }) => type)).toEqual([
      'IHDR',
      'acTL',
      'fcTL',
      'IDAT',
      'fcTL',
      'fdAT',
      'fcTL',
      'fdAT',
      'IEND',
    ]);
    expect(of('acTL')).toEqual([Buffer.concat([word(3), word(0)])]);
  });

  test('parts are numbered through, with size, place and time of each', () => {
    expect([...of('fcTL'), ...of('fdAT')].map((data) => data.readUInt32BE(0)).toSorted()).toEqual([
      0, 1, 2, 3, 4,
    ]);
    const controls = of('fcTL').map((data) => [
      ...[4, 8, 12, 16].map((at) => data.readUInt32BE(at)),
      data.readUInt16BE(20) / data.readUInt16BE(22),
    ]);
    expect(controls).toEqual([
      [4, 3, 0, 0, 1],
      [2, 3, 2, 0, 0],
      [1, 1, 0, 2, 65.535],
    ]);
  });

  test('lines are those of the pictures', () => {
    const lines = [...of('IDAT'), ...of('fdAT').map((data) => data.subarray(4))].map((data) => [
      ...new Set(inflateSync(data)),
    ]);
    expect(lines).toEqual([
      [0, 10],
      [0, 20],
      [0, 30],
    ]);
  });

  test('each chunk has its checksum', () => {
    let at = 8;
    for (const { data } of chunks) {
      const end = at + 8 + data.length;
      expect(made.readUInt32BE(end)).toBe(crc32(made.subarray(at + 4, end)));
      at = end + 4;
    }
    expect(at).toBe(made.length);
  });

  test.each([
    ['no frames', [], /give at least one/],
    ['colours differ', [three[0], { ...three[1], png: grey(2, 3, 20, 2) }], /frame 1 has another bit depth/],
    ['no PNG', [{ ...three[0], png: Buffer.from('GIF89a..') }], /no PNG: it begins with 474946/],
  ])('%s -> refused', (_, frames, words) => {
    expect(() => animatedPng(frames as typeof three)).toThrow(words);
  });
});
