import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chosenGroups, partOf, rowsAtATime } from '../../src/view/model/choose.ts';
import { boxSize, layOut } from '../../src/view/model/layout.ts';
import { neighbour } from '../../src/view/model/move.ts';
import { kinds, type Group, type Item, type Kind, type Link } from '../../src/view/model/picture.ts';
import {
  counted,
  finalizerWords,
  listed,
  markWords,
  spoken,
  summary,
  timeLeft,
} from '../../src/view/model/words.ts';
import { pictureOf } from '../../src/view/picture-of.ts';
import { manyClaims, story } from './seen.ts';

const due = '2026-03-01T12:30:00Z';
const [web] = pictureOf(story(due));
const all = { text: '', goingOnly: false };
const [many] = pictureOf(manyClaims(1_000));
const nothing: Group = { id: '', title: '', items: [], links: [] };

function item(kind: Kind, name: string, more: Partial<Item> = {}): Item {
  return { id: `${kind} ${name}`, kind, name, state: 'Bound', finalizers: [], notes: [], ...more };
}

describe('what is chosen', () => {
  test('1,000 claims -> 50 rows at a time, with all that they are linked with', () => {
    const { items, links, ...part } = partOf(many ?? nothing, all, 0);
    expect(part).toEqual({ first: 0, count: rowsAtATime, of: 1_000, leftOut: 0 });
    const counts = kinds.map((kind) => items.filter((each) => each.kind === kind).length);
    expect(counts).toEqual([1, 50, 50, 50, 0]);
    expect(links.filter(({ kind }) => kind === 'holds')).toHaveLength(50);
  });

  const names = Array.from({ length: 5_000 }, (_, n) => `pod-${String(n)}`);
  const shared: Group = {
    ...nothing,
    items: [item('claim', 'shared'), ...names.map((name) => item('pod', name))],
    links: names.map((name) => ({
      ...{ from: `pod ${name}`, to: 'claim shared', words: name },
      kind: name === 'pod-4000' ? 'holds' : 'names',
    })),
  };

  test('a claim of 5,000 pods -> 20 of them, those first that hold it; how many are left out', () => {
    const { items, links, ...part } = partOf(shared, all, 0);
    expect(part).toEqual({ first: 0, count: 1, of: 1, leftOut: 4_980 });
    const pods = items.filter(({ kind }) => kind === 'pod').map(({ name }) => name);
    expect(pods).toEqual([...names.slice(0, 19), 'pod-4000']);
    expect(links).toHaveLength(20);
  });

  test('a claim of 5,000 pods, filter by the name of one -> that one among those drawn', () => {
    const { items } = partOf(shared, { text: 'pod-4321', goingOnly: false }, 0);
    expect(items.map(({ name }) => name)).toContain('pod-4321');
  });

  test('rows -> by the numbers in their names', () => {
    const names = partOf(many ?? nothing, all, 0)
      .items.filter(({ kind }) => kind === 'claim')
      .map(({ name }) => name);
    expect(names).toContain('data-web-49');
    expect(names).not.toContain('data-web-100');
  });

  test.each([
    [19, 950],
    [20, 950],
    [-1, 0],
  ])('page %d of 20 -> from row %d on', (page, first) => {
    expect(partOf(many ?? nothing, all, page).first).toBe(first);
  });

  test.each([
    ['of a claim', 'data-web-2', ['data-web-2']],
    ['of its pod', 'web-1', ['data-web-1']],
    ['of its volume', 'PV-0', ['data-web-0']],
    ['of the set', 'web', ['data-web-0', 'data-web-1', 'data-web-2', 'pv-left']],
    ['of a left volume', 'left', ['pv-left']],
    ['of nothing', 'mysql', []],
  ])('filter by the name %s -> its rows', (_, text, rows) => {
    const { items, of } = partOf(web ?? nothing, { text, goingOnly: false }, 0);
    expect(of).toBe(rows.length);
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(rows));
    const chosen = chosenGroups(web === undefined ? [] : [web], { text, goingOnly: false });
    expect(chosen).toHaveLength(rows.length > 0 ? 1 : 0);
  });

  test('only what is going -> what is being deleted or marked, and nothing of its neighbours', () => {
    const { items, of } = partOf(web ?? nothing, { text: '', goingOnly: true }, 0);
    expect(of).toBe(2);
    expect(items.filter(({ kind }) => kind === 'claim').map(({ name }) => name)).toEqual([
      'data-web-0',
      'data-web-2',
    ]);
  });

  test('a set that has no claim yet -> drawn', () => {
    const group = { ...nothing, id: 'shop/new', title: 'shop/new', items: [item('set', 'new')] };
    expect(chosenGroups([group], all)).toEqual([group]);
    expect(partOf(group, all, 0).items).toHaveLength(1);
  });
});

describe('what there is a lot of', () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `example.com/f-${String(n)}`);

  test('2,000 finalizers -> five named, the others counted', () => {
    const five = many.slice(0, 5).join(', ');
    expect(finalizerWords(item('claim', 'a', { finalizers: many }))).toBe(
      `finalizers ${five} and 1,995 more`,
    );
    expect(listed(many)).toBe(`${five} and 1,995 more`);
    expect(listed(many.slice(0, 6))).toBe(many.slice(0, 6).join(', '));
  });
});

describe('layout', () => {
  const group = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(9)), { maxLength: 40 }).chain((pairs) => {
    const items = [
      ...new Map(pairs.map(([kind, n]) => [`${kind} ${String(n)}`, item(kind, String(n))])).values(),
    ];
    const links = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }).map((ends) =>
      ends.flatMap(([a, b]): readonly Link[] => {
        const [from, to] = [items[a % items.length], items[b % items.length]];
        return from !== undefined && to !== undefined && kinds.indexOf(from.kind) < kinds.indexOf(to.kind)
          ? [{ from: from.id, to: to.id, kind: 'holds', words: '' }]
          : [];
      }),
    );
    return links.map((each) => ({ items, links: each }));
  });

  test('any items and links -> each in its column, none upon another, all within, every line drawn', () => {
    fc.assert(
      fc.property(group, ({ items, links }) => {
        const { boxes, lines, width, height } = layOut(items, links);
        expect(boxes.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
        expect(new Set(boxes.map(({ x, y }) => `${String(x)} ${String(y)}`)).size).toBe(items.length);
        boxes.forEach(({ column, x, y }, index) => {
          expect(kinds[column]).toBe(items[index]?.kind);
          expect(x + boxSize.width).toBeLessThanOrEqual(width);
          expect(y + boxSize.height).toBeLessThanOrEqual(height);
        });
        expect(lines).toHaveLength(links.length);
      }),
    );
  });

  test('claims of a set -> pod, claim and volume of each in one row', () => {
    const { items, links } = partOf(many ?? nothing, all, 0);
    const row = new Map(layOut(items, links).boxes.map((box) => [box.id, box.row]));
    for (const ordinal of [0, 7, 49]) {
      const rows = [
        `pod web-${String(ordinal)}`,
        `claim data-web-${String(ordinal)}`,
        `volume pv-${String(ordinal)}`,
      ];
      expect(rows.map((id) => row.get(id))).toEqual([ordinal, ordinal, ordinal]);
    }
  });

  test('two lines between the same two -> not upon each other', () => {
    const two = ['owns', 'holds'].map((kind) => ({ from: 'pod a', to: 'claim b', kind, words: '' }) as Link);
    const { lines } = layOut([item('pod', 'a'), item('claim', 'b')], two);
    expect(new Set(lines.map(({ path }) => path)).size).toBe(2);
  });
});

describe('arrow keys', () => {
  const { boxes } = layOut(web?.items ?? [], web?.links ?? []);
  test.each([
    ['claim data-web-1', 'ArrowUp', 'claim data-web-0'],
    ['claim data-web-1', 'ArrowDown', 'claim data-web-2'],
    ['claim data-web-1', 'ArrowLeft', 'pod web-1'],
    ['claim data-web-1', 'ArrowRight', 'volume pv-1'],
    ['claim data-web-0', 'ArrowUp', undefined],
    ['set web', 'ArrowLeft', undefined],
    ['claim data-web-1', 'Tab', undefined],
    ['claim of-no-drawing', 'ArrowUp', undefined],
  ])('%s, %s -> %s', (from, key, to) => {
    expect(neighbour(boxes, from, key)?.id).toBe(to);
  });
});

describe('words', () => {
  test.each([
    [-5_000, '0 s'],
    [0, '0 s'],
    [999, '0 s'],
    [29_000, '29 s'],
    [1_770_000, '29 min 30 s'],
    [3_600_000, '1 h 0 min'],
    [93_600_000, '1 d 2 h'],
  ])('%d ms are left -> %s', (milliseconds, words) => {
    expect(timeLeft(milliseconds)).toBe(words);
  });

  test.each([
    ['before its end', Date.parse(due) - 90_000, 'goes in 1 min 30 s'],
    ['at its end', Date.parse(due), 'is due to be deleted'],
  ])('mark %s -> %s', (_, now, words) => {
    const marked = web?.items.find(({ id }) => id === 'claim data-web-2') ?? item('claim', '');
    expect(markWords(marked, now)).toBe(words);
  });

  test.each([
    ['before its time', 0, 'goes in 1 min 30 s at the earliest'],
    ['after its time', 90_000, 'is due to be deleted, or waits'],
  ])('mark whose controller might wait, %s -> %s', (_, now, words) => {
    const marked = item('claim', 'a', { mark: { due: 90_000, isEarliest: true, because: '', keep: '' } });
    expect(markWords(marked, now)).toBe(words);
  });

  test('mark whose time can not be read -> nothing is deleted', () => {
    const marked = item('claim', 'a', { mark: { due: undefined, because: '', keep: '' } });
    expect(markWords(marked, 0)).toBe('marked for deletion, but its time is invalid: nothing is deleted');
  });

  test('item -> all that its box says, in a sentence', () => {
    const deleted = item('claim', 'a', { deletedAt: 'then', heldBy: 'example.com/backup' });
    expect(spoken(deleted, 0)).toBe('claim a, Bound, being deleted, held by example.com/backup');
  });

  test('group -> counts in words', () => {
    expect(summary(web ?? nothing)).toBe('3 claims, 1 object being deleted, 1 in an undo window');
    expect(counted(1_234_567, 'claim')).toBe('1,234,567 claims');
  });
});
