import { describe, expect, test } from '@jest/globals';
import { poisonAnswer, poisonEvent } from '../../src/hostile/poison.ts';

const object = (name: string) => ({ metadata: { name }, spec: { nodeName: 'node-of-some-length' } });
const odd = object('poison-1');
const good = object('web-of-poison-');

describe('JSON', () => {
  const parse = (bytes: Buffer | undefined): unknown => JSON.parse(String(bytes));
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

  test.each([
    { state: 'object', answer: odd, poisoned: { ...odd, spec: 'unreadable' } },
    {
      state: 'list',
      answer: { kind: 'PodList', items: [good, odd] },
      poisoned: { kind: 'PodList', items: [good, { ...odd, spec: 'unreadable' }] },
    },
    { state: 'list of others that name it', answer: { items: [good] }, poisoned: { items: [good] } },
  ])('$state -> the spec of what is marked is a text, all else as it was', ({ answer, poisoned }) => {
    expect(parse(poisonAnswer(json(answer), false))).toEqual(poisoned);
  });

  test('event -> its object is unreadable, and it is one line', () => {
    const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: odd })}\n`);
    const poisoned = poisonEvent(line, false);
    expect(parse(poisoned)).toEqual({ type: 'ADDED', object: { ...odd, spec: 'unreadable' } });
    expect(poisoned?.at(-1)).toBe(0x0a);
    expect(poisoned?.indexOf(0x0a)).toBe((poisoned?.length ?? 0) - 1);
  });

  test('answer without the mark -> not even looked at', () => {
    expect(poisonAnswer(Buffer.from('no JSON'), false)).toBeUndefined();
    expect(poisonEvent(Buffer.from('no JSON'), false)).toBeUndefined();
  });
});

describe('protobuf', () => {
  const field = (number: number, ...parts: readonly (Buffer | string)[]): Buffer => {
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
    return Buffer.concat([
      Buffer.from([(number << 3) | 2, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]),
      bytes,
    ]);
  };
  const count = (number: number, value: number): Buffer => Buffer.from([number << 3, value]);
  /** A pod: metadata with a number among its fields, and a spec whose node name is field 10. */
  const pod = (name: string): Buffer =>
    Buffer.concat([
      field(1, field(1, name), count(7, 3), field(3, 'shop')),
      field(2, field(10, 'node-of-some-length')),
    ]);
  const envelope = (raw: Buffer): Buffer =>
    Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, 'v1'), field(2, 'Pod')), field(2, raw)]);
  const event = (name: string): Buffer =>
    Buffer.concat([field(1, 'ADDED'), field(2, field(1, envelope(pod(name))))]);

  /** Where the first byte of the node name's length is, as often as there are pods. */
  const lengths = (bytes: Buffer): readonly number[] => {
    const found: number[] = [];
    for (let at = bytes.indexOf('node-of'); at >= 0; at = bytes.indexOf('node-of', at + 1)) {
      found.push(at - 2);
    }
    return found;
  };

  test('object -> the first field of its spec says that it is 2 GiB long, the length of the answer is as it was', () => {
    const clean = envelope(pod('poison-1'));
    const [at = 0] = lengths(clean);
    const poisoned = poisonAnswer(clean, true) ?? Buffer.alloc(0);
    expect(poisoned).toHaveLength(clean.length);
    expect([...poisoned.subarray(at, at + 5)]).toEqual([0xff, 0xff, 0xff, 0xff, 0x07]);
    expect(poisoned.subarray(0, at)).toEqual(clean.subarray(0, at));
    expect(poisoned.subarray(at + 5)).toEqual(clean.subarray(at + 5));
  });

  test('list -> only what is marked differs', () => {
    const clean = envelope(
      Buffer.concat([field(1, field(2, '10')), ...['a', 'poison-1', 'b'].map((name) => field(2, pod(name)))]),
    );
    const [, second = 0] = lengths(clean);
    const poisoned = poisonAnswer(clean, true) ?? Buffer.alloc(0);
    const changed = [...poisoned.keys()].filter((at) => poisoned[at] !== clean[at]);
    expect(changed).toEqual([0, 1, 2, 3, 4].map((offset) => second + offset));
  });

  test('event -> its object is unreadable', () => {
    const clean = event('poison-1');
    const [at = 0] = lengths(clean);
    expect(poisonEvent(clean, true)?.[at]).toBe(0xff);
    expect(clean[at]).toBe(0x80 + 'node-of-some-length'.length);
  });

  test.each([
    { state: 'name that only holds the mark', bytes: event('no-poison-1') },
    { state: 'mark, and no message', bytes: Buffer.from('poison-') },
    { state: 'cut off in the middle', bytes: event('poison-1').subarray(0, 40) },
  ])('$state -> left as it is', ({ bytes }) => {
    expect(poisonEvent(bytes, true)).toBeUndefined();
  });
});
