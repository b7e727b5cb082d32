import { describe, expect, test } from '@jest/globals';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { createDeletionsTogether } from '../src/in-tree/deletions-together.ts';
import { createLine, NoTurnError } from '../src/in-tree/line.ts';

/** Work that ends when it is let to. */
function works() {
  const begun: { readonly name: string; readonly end: () => void; readonly fail: (error: Error) => void }[] =
    [];
  return {
    begun,
    names: () => begun.map(({ name }) => name).join(),
    work: (name: string) => () => {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      begun.push({ name, end: () => resolve(undefined), fail: reject });
      return promise;
    },
  };
}

describe('line', () => {
  test('two at once -> further ones begin in the order in which they came, as the others end or fail', async () => {
    const inTurn = createLine(createFakeClock(), () => 2);
    const { begun, names, work } = works();
    const all = ['a', 'b', 'c', 'd'].map((name) => inTurn(work(name)).catch((error: unknown) => error));
    expect(names()).toBe('a,b');
    begun[1]?.fail(new Error('no'));
    await settled();
    expect(names()).toBe('a,b,c');
    begun[0]?.end();
    await settled();
    expect(names()).toBe('a,b,c,d');
    begun.slice(2).forEach(({ end }) => end());
    expect(await Promise.all(all)).toEqual([undefined, new Error('no'), undefined, undefined]);
  });

  test('20 s in line -> not begun, and the next in line is not held up by it', async () => {
    const clock = createFakeClock();
    const inTurn = createLine(clock, () => 1);
    const { begun, names, work } = works();
    const first = inTurn(work('a'));
    const late = expect(inTurn(work('b'))).rejects.toMatchObject({ name: 'NoTurnError' });
    await clock.advance(19_999);
    const next = inTurn(work('c'));
    await clock.advance(1);
    await late;
    begun[0]?.end();
    await first;
    await settled();
    expect(names()).toBe('a,c');
    begun[1]?.end();
    await next;
  });

  test('a place that is free only since others stand in line -> who comes later does not go before them', async () => {
    let places = 1;
    const inTurn = createLine(createFakeClock(), () => places);
    const { begun, names, work } = works();
    const all = ['a', 'b'].map((name) => inTurn(work(name)));
    places = 2;
    all.push(inTurn(work('c')));
    await settled();
    expect(names()).toBe('a');
    begun[0]?.end();
    await settled();
    expect(names()).toBe('a,b,c');
    begun.slice(1).forEach(({ end }) => end());
    await Promise.all(all);
  });

  test('begun after a wait -> no timer is left', async () => {
    const clock = createFakeClock();
    const inTurn = createLine(clock, () => 1);
    const { begun, work } = works();
    const all = ['a', 'b'].map((name) => inTurn(work(name)));
    await settled();
    expect(clock.pending).toBe(1);
    begun[0]?.end();
    await settled();
    expect(clock.pending).toBe(0);
    begun[1]?.end();
    await Promise.all(all);
  });
});

describe('deletions of folders', () => {
  test('each comes to its turn -> twice as many go together each time, 128 at most; one does not -> two again', async () => {
    let isEnding = false;
    const inTurn = createDeletionsTogether(createFakeClock(), () => isEnding);
    const { begun, work } = works();
    const ends: Promise<unknown>[] = [];
    for (let count = 0; count < 1_000; count++) {
      ends.push(inTurn(work(String(count))).catch((error: unknown) => error));
    }
    const together: number[] = [];
    for (let done = 0; together.length < 9;) {
      const now = begun.slice(done);
      together.push(now.length);
      done = begun.length;
      now.forEach(({ end }) => end());
      await settled();
    }
    expect(together[0]).toBe(2);
    expect(together[1]).toBe(4);
    expect(
      together.every((each, at) => at === 0 || each >= Math.min((together[at - 1] ?? 0) * 1.5, 128)),
    ).toBe(true);
    expect(together.at(-1)).toBe(128);

    const before = begun.length;
    begun.slice(-128).forEach(({ fail }) => fail(new NoTurnError('late')));
    await settled();
    begun.slice(before).forEach(({ end }) => end());
    await settled();
    expect(begun.slice(before).length).toBeLessThanOrEqual(10);

    isEnding = true;
    const last = begun.length;
    begun.forEach(({ end }) => end());
    await Promise.all(ends);
    expect(begun).toHaveLength(last);
  });

  test('a deletion fails for another reason than its turn -> as many go together as before', async () => {
    const inTurn = createDeletionsTogether(createFakeClock(), () => false);
    const { begun, work } = works();
    const ends = Array.from({ length: 12 }, (_, at) =>
      inTurn(work(String(at))).catch((error: unknown) => error),
    );
    begun.slice(0, 2).forEach(({ end }) => end());
    await settled();
    expect(begun).toHaveLength(6);
    begun[2]?.fail(new Error('no'));
    await settled();
    expect(begun).toHaveLength(7);
    begun.slice(3, 7).forEach(({ end }) => end());
    for (let done = 7; done < 12; done = begun.length) {
      await settled();
      begun.slice(done).forEach(({ end }) => end());
    }
    await Promise.all(ends);
  });
});
