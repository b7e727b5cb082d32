import type { Box } from './layout.ts';

/**
 * Returns the box that an arrow key leads to: up and down within the column, left and right to the nearest
 * box in the next column that is not empty.
 *
 * @returns undefined for another key, and at the edge
 */
export function neighbour(boxes: readonly Box[], id: string, key: string): Box | undefined {
  const from = boxes.find((box) => box.id === id);
  if (from === undefined) {
    return undefined;
  }
  const away = (box: Box): number =>
    Math.abs(box.row - from.row) + Math.abs(box.column - from.column) * 10_000;
  const nearest = (isThere: (box: Box) => boolean): Box | undefined =>
    boxes.filter(isThere).toSorted((a, b) => away(a) - away(b))[0];
  switch (key) {
    case 'ArrowUp':
      return nearest(({ column, row }) => column === from.column && row < from.row);
    case 'ArrowDown':
      return nearest(({ column, row }) => column === from.column && row > from.row);
    case 'ArrowLeft':
      return nearest(({ column }) => column < from.column);
    case 'ArrowRight':
      return nearest(({ column }) => column > from.column);
    default:
      return undefined;
  }
}
