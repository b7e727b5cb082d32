import type { Layout } from '../model/layout.ts';
import { neighbour } from '../model/move.ts';
import type { Item } from '../model/picture.ts';
import { deletionWords, finalizerWords, kindWords, markWords, spoken } from '../model/words.ts';
import { element, svg } from './element.ts';

export interface Drawing {
  /** Redraws; boxes that stay keep the focus. */
  draw(items: readonly Item[], layout: Layout, now: number): void;
  /** Updates what depends on the time. */
  tick(now: number): void;
  /** Marks the box that is explained. */
  choose(id: string | undefined): void;
}

interface Shown {
  readonly button: HTMLButtonElement;
  item: Item;
}

/** @param chosen called with the item of a box that was pressed */
export function createDrawing(target: HTMLElement, chosen: (item: Item) => void): Drawing {
  const shown = new Map<string, Shown>();
  const arrow = svg(
    'defs',
    {},
    svg(
      'marker',
      {
        id: 'arrow',
        viewBox: '0 0 8 8',
        refX: '7',
        refY: '4',
        markerWidth: '5',
        markerHeight: '5',
        orient: 'auto',
      },
      svg('path', { d: 'M0 0 L8 4 L0 8 z' }),
    ),
  );
  const lines = svg('svg', { 'aria-hidden': 'true' }, arrow);
  target.append(lines);
  let boxes: Layout['boxes'] = [];
  let current: string | undefined;

  target.addEventListener('keydown', (event) => {
    const id = event.target instanceof HTMLElement ? event.target.dataset['id'] : undefined;
    const next = id === undefined ? undefined : neighbour(boxes, id, event.key);
    if (next !== undefined) {
      event.preventDefault();
      shown.get(next.id)?.button.focus();
    }
  });

  function fill({ button, item }: Shown, now: number): void {
    const kept = finalizerWords(item);
    const texts = [
      element('span', { text: item.name, className: 'name' }),
      element('span', { text: item.state }),
      ...[deletionWords(item), markWords(item, now)].flatMap((text) =>
        text === undefined ? [] : [element('span', { text, className: 'going' })],
      ),
      ...(kept === undefined ? [] : [element('span', { text: kept, className: 'finalizers' })]),
    ];
    button.replaceChildren(...texts);
    button.title = spoken(item, now);
    button.setAttribute('aria-label', spoken(item, now));
    const isGoing = item.deletedAt !== undefined || item.mark !== undefined;
    button.className = ['box', item.kind, isGoing ? 'going' : '', item.isMissing ? 'missing' : '']
      .join(' ')
      .trim();
  }

  function make(item: Item): Shown {
    const button = element('button');
    button.type = 'button';
    button.dataset['id'] = item.id;
    button.setAttribute('aria-roledescription', kindWords[item.kind]);
    const made: Shown = { button, item };
    button.addEventListener('click', () => chosen(made.item));
    return made;
  }

  function mark(): void {
    for (const [id, { button }] of shown) {
      button.setAttribute('aria-pressed', String(id === current));
    }
  }

  return {
    draw: (items, layout, now) => {
      ({ boxes } = layout);
      const places = new Map(boxes.map((box) => [box.id, box]));
      const kept = new Set(items.map(({ id }) => id));
      for (const [id, { button }] of shown) {
        if (!kept.has(id)) {
          button.remove();
          shown.delete(id);
        }
      }
      for (const item of items) {
        const known = shown.get(item.id) ?? make(item);
        shown.set(item.id, known);
        known.item = item;
        fill(known, now);
        const { x, y } = places.get(item.id) ?? { x: 0, y: 0 };
        known.button.style.left = `${String(x)}px`;
        known.button.style.top = `${String(y)}px`;
      }
      // Makes Tab go through the columns in reading order. Elements that are already in place are not moved,
      // so that they keep the focus.
      let before: Element = lines;
      for (const { id } of boxes.toSorted((a, b) => a.column - b.column || a.row - b.row)) {
        const button = shown.get(id)?.button;
        if (button !== undefined && before.nextElementSibling !== button) {
          before.after(button);
        }
        before = button ?? before;
      }
      lines.setAttribute('width', String(layout.width));
      lines.setAttribute('height', String(layout.height));
      target.style.width = `${String(layout.width)}px`;
      target.style.height = `${String(layout.height)}px`;
      lines.replaceChildren(
        arrow,
        ...layout.lines.map(({ kind, path }) =>
          svg('path', { class: kind, d: path, ...(kind === 'holds' ? { 'marker-end': 'url(#arrow)' } : {}) }),
        ),
      );
      mark();
    },
    tick: (now) => {
      for (const each of shown.values()) {
        if (each.item.mark !== undefined) {
          fill(each, now);
        }
      }
    },
    choose: (id) => {
      current = id;
      mark();
    },
  };
}
