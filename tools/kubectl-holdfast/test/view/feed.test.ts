import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createFeed } from '../../src/view/feed.ts';
import type { Group, Message } from '../../src/view/model/picture.ts';

function groupOf(id: string, state = 'Bound'): Group {
  return {
    id,
    title: id,
    links: [],
    items: [{ id: 'claim a', kind: 'claim', name: 'a', state, finalizers: [], notes: [] }],
  };
}

function setUp(first: readonly Group[]) {
  const clock = createFakeClock();
  let groups = first;
  let troubles: readonly string[] = [];
  let asked = 0;
  const feed = createFeed(
    {
      groups: () => {
        asked += 1;
        return groups;
      },
      state: () => ({ now: clock.now(), scope: 'namespace shop', isComplete: true, troubles }),
    },
    clock,
  );
  return {
    feed,
    clock,
    asked: () => asked,
    become: (next: readonly Group[], more: readonly string[] = []) => {
      groups = next;
      troubles = more;
      feed.changed();
    },
  };
}

/** The messages that a viewer was sent since it was asked last. */
function messagesIn(stream: PassThrough): readonly Message[] {
  const text = (stream.read() as Buffer | null)?.toString() ?? '';
  return text
    .split('\n\n')
    .filter((each) => each.startsWith('data: '))
    .map((each) => JSON.parse(each.slice('data: '.length)) as Message);
}

describe('feed', () => {
  test('text of others that turns the direction of writing, or shows nothing -> to be seen as an escape', () => {
    const { feed } = setUp([groupOf('a', 'Bo\u202eund\u200b\u0007, größer')]);
    const stream = new PassThrough();
    feed.open(stream);
    expect(messagesIn(stream).map(({ groups }) => groups)).toEqual([
      [groupOf('a', 'Bo\\u202eund\\u200b\\u0007, größer')],
    ]);
  });

  test('a viewer comes -> is sent all; then what has changed alone', async () => {
    const { feed, clock, become } = setUp([groupOf('a'), groupOf('b')]);
    const stream = new PassThrough();
    feed.open(stream);
    expect(messagesIn(stream).map(({ groups }) => groups)).toEqual([[groupOf('a'), groupOf('b')]]);
    become([groupOf('a'), groupOf('b', 'Lost'), groupOf('c')]);
    await clock.advance(500);
    expect(messagesIn(stream).map(({ groups }) => groups)).toEqual([[groupOf('b', 'Lost'), groupOf('c')]]);
    become([groupOf('a')]);
    await clock.advance(500);
    expect(messagesIn(stream)).toMatchObject([{ groups: [], gone: ['b', 'c'] }]);
    feed.close();
  });

  test('changes that come together -> one message; changes that show nothing -> none', async () => {
    const { feed, clock, become, asked } = setUp([groupOf('a')]);
    const stream = new PassThrough();
    feed.open(stream);
    messagesIn(stream);
    for (const state of ['Pending', 'Lost', 'Bound', 'Lost']) {
      become([groupOf('a', state)]);
    }
    await clock.advance(500);
    expect(messagesIn(stream)).toHaveLength(1);
    become([groupOf('a', 'Lost')]);
    await clock.advance(500);
    expect(messagesIn(stream)).toHaveLength(0);
    expect(asked()).toBe(3);
    feed.close();
  });

  test('a large drawing changes -> drawn at a pace that leaves the machine to others', async () => {
    const large = 'x'.repeat(8_000_000);
    const { feed, clock, become, asked } = setUp([groupOf('a', large)]);
    feed.open(new PassThrough());
    become([groupOf('a', `${large}y`)]);
    await clock.advance(1_999);
    expect(asked()).toBe(1);
    await clock.advance(100);
    expect(asked()).toBe(2);
    feed.close();
  });

  test('something can not be seen any more -> said, and when it can again', async () => {
    const { feed, clock, become } = setUp([groupOf('a')]);
    const stream = new PassThrough();
    feed.open(stream);
    messagesIn(stream);
    become([groupOf('a')], ['pods can not be read']);
    await clock.advance(500);
    expect(messagesIn(stream)).toMatchObject([{ groups: [], troubles: ['pods can not be read'] }]);
    become([groupOf('a')]);
    await clock.advance(500);
    expect(messagesIn(stream)).toMatchObject([{ groups: [], troubles: [] }]);
    feed.close();
  });

  test('nobody looks -> nothing is drawn, no timer left', async () => {
    const { feed, clock, become, asked } = setUp([groupOf('a')]);
    become([groupOf('b')]);
    await clock.advance(60_000);
    expect(asked()).toBe(0);
    const stream = new PassThrough();
    feed.open(stream);
    expect(messagesIn(stream)).toMatchObject([{ groups: [groupOf('b')] }]);
    become([groupOf('c')]);
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    await clock.advance(60_000);
    expect(asked()).toBe(1);
  });

  test('a viewer takes nothing -> nothing is queued for it; takes again -> is sent the newest, once', async () => {
    const { feed, clock, become } = setUp([groupOf('a')]);
    const slow = new PassThrough({ highWaterMark: 16 });
    const quick = new PassThrough();
    feed.open(slow);
    feed.open(quick);
    const held = slow.writableLength + slow.readableLength;
    for (let round = 0; round < 100; round += 1) {
      become([groupOf('a', `round ${String(round)}`)]);
      await clock.advance(500);
    }
    expect(slow.writableLength + slow.readableLength).toBe(held);
    expect(messagesIn(quick).at(-1)?.groups).toEqual([groupOf('a', 'round 99')]);
    const drained = new Promise((resolve) => slow.once('drain', resolve));
    const first = messagesOf(slow);
    await drained;
    const rest = [...first(), ...messagesIn(slow)];
    expect(rest.at(-1)?.groups).toEqual([groupOf('a', 'round 99')]);
    expect(rest.length).toBeLessThan(5);
    feed.close();
  });

  test('a viewer takes nothing for a minute -> its stream ends, and its place is free; one that takes is let be', async () => {
    const { feed, clock } = setUp([groupOf('a', 'x'.repeat(1_000))]);
    const stuck = new PassThrough({ highWaterMark: 16 });
    const quick = new PassThrough().resume();
    feed.open(stuck);
    feed.open(quick);
    await clock.advance(50_000);
    expect(stuck.destroyed).toBe(false);
    await clock.advance(20_000);
    expect([stuck.destroyed, quick.destroyed]).toEqual([true, false]);
    feed.close();
  });

  test('nothing happens -> a sign of life every 10 s, so that a dead connection is noticed', async () => {
    const { feed, clock } = setUp([]);
    const stream = new PassThrough();
    feed.open(stream);
    stream.read();
    await clock.advance(10_000);
    expect(String(stream.read())).toBe(':\n\n');
    feed.close();
  });
});

/** Reads all that comes. */
function messagesOf(stream: PassThrough): () => readonly Message[] {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () =>
    text
      .split('\n\n')
      .filter((each) => each.startsWith('data: '))
      .map((each) => JSON.parse(each.slice('data: '.length)) as Message);
}
