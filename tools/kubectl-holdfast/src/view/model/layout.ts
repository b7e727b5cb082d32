import { inOrder } from './choose.ts';
import { nearOf } from './near.ts';
import { kinds, type Item, type Link, type LinkKind } from './picture.ts';

/** In pixels. */
export const boxSize = { width: 208, height: 96 } as const;
const gaps = { column: 56, row: 16 } as const;

export interface Box {
  readonly id: string;
  readonly column: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** The data of an SVG path. */
  readonly path: string;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

/**
 * Places each kind in a column and each claim in a row. What a claim is linked with is placed in the claim's
 * row or in the next free one, so that the lines of a set's claims run level without crossing anything. Sets
 * and classes are placed next to the first box linked with them.
 */
export function layOut(items: readonly Item[], links: readonly Link[]): Layout {
  const rowOf = new Map<string, number>();
  const near = nearOf(links);
  let rows = 0;
  // Volumes come before classes and pods before sets, because the later ones are placed next to the earlier
  // ones.
  for (const kind of ['claim', 'pod', 'volume', 'set', 'class'] as const) {
    const others = kind === 'pod' || kind === 'volume' ? rows : 0;
    const own = items
      .filter((item) => item.kind === kind)
      .map((item) => ({ item, near: rowNear(item.id) }))
      .map(({ item, near: row }) => ({
        item,
        isLone: row === Infinity,
        wanted: row === Infinity ? others : row,
      }));
    own.sort(
      (a, b) =>
        a.wanted - b.wanted || Number(a.isLone) - Number(b.isLone) || inOrder(a.item.name, b.item.name),
    );
    // Sorted by the row they prefer, so that no earlier row stays free that a later box prefers.
    let free = 0;
    for (const { item, wanted } of own) {
      const row = Math.max(free, wanted);
      rowOf.set(item.id, row);
      free = row + 1;
    }
    rows = Math.max(rows, free);
  }

  function rowNear(id: string): number {
    return (near.get(id) ?? []).reduce(
      (least, other) => Math.min(least, rowOf.get(other) ?? Infinity),
      Infinity,
    );
  }

  const boxes = items.map(({ id, kind }): Box => {
    const column = kinds.indexOf(kind);
    const row = rowOf.get(id) ?? 0;
    return {
      ...{ id, column, row },
      x: column * (boxSize.width + gaps.column),
      // Lines also run in the gap above a row.
      y: gaps.row + row * (boxSize.height + gaps.row),
    };
  });
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const between = new Map<string, number>();
  return {
    boxes,
    lines: links.flatMap(({ from, to, kind }) => {
      const [left, right] = [byId.get(from), byId.get(to)];
      if (left === undefined || right === undefined) {
        return [];
      }
      // A second line between the same two boxes runs below the first.
      const pair = `${from} ${to}`;
      const nth = between.get(pair) ?? 0;
      between.set(pair, nth + 1);
      return [{ from, to, kind, path: pathOf(left, right, nth) }];
    }),
    width: kinds.length * boxSize.width + (kinds.length - 1) * gaps.column,
    height: gaps.row + rows * (boxSize.height + gaps.row),
  };
}

function pathOf(left: Box, right: Box, nth: number): string {
  const drop = boxSize.height / 2 + nth * 14;
  const [x1, y1] = [left.x + boxSize.width, left.y + drop];
  const [x2, y2] = [right.x, right.y + drop];
  const bend = gaps.column / 2;
  // Runs level in the gap above the row, past the boxes of the columns between.
  const gap = right.y - gaps.row / 2;
  return right.column - left.column > 1
    ? `M${x1} ${y1} C${x1 + bend} ${y1} ${x1 + bend / 2} ${gap} ${x1 + bend} ${gap} ` +
        `L${x2 - bend} ${gap} C${x2 - bend / 2} ${gap} ${x2 - bend} ${y2} ${x2} ${y2}`
    : `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
