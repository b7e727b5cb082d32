import type { SizedSpread } from './growth-figures.ts';

/*
 * Writes SVG without a library. Three panels of two lines on logarithmic axes need only two scales and a few
 * elements. A library that draws without a browser (echarts, vega) is thousands of times larger, and does not
 * support colours that follow the reader's theme.
 */

/** One pair of axes. */
export interface Panel {
  readonly title: string;
  /** Formats a value on the axis in a few characters. */
  readonly show: (value: number) => string;
  /** The lines in the order of the legend. */
  readonly lines: readonly (readonly SizedSpread[])[];
}

export interface Plot {
  /** A description for people who cannot see the image. */
  readonly title: string;
  /** What is counted along the lower axis. */
  readonly objects: string;
  /** The names of the lines, which are the same in all panels. */
  readonly legend: readonly string[];
  readonly panels: readonly Panel[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const panelWidth = 260;
const panelHeight = 220;
const margin = { left: 56, right: 14, top: 56, bottom: 44 };

/**
 * Draws all panels side by side, each with a dashed line of linear growth from the first point of the first
 * line. The image follows the reader's theme. Values that are not above 0 are left out, since logarithmic
 * axes have no place for them.
 */
export function plotSvg({ title, objects, legend, panels }: Plot): string {
  const width = panels.length * (panelWidth + margin.left + margin.right);
  const height = panelHeight + margin.top + margin.bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" role="img" aria-labelledby="title">`,
    `<title id="title">${escape(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${String(width)}" height="${String(height)}"/>`,
    ...legend.map(
      (name, index) =>
        `<g class="line${String(index)}"><path d="M${String(margin.left + index * 110)},16h22"/><text x="${String(margin.left + 28 + index * 110)}" y="20">${escape(name)}</text></g>`,
    ),
    `<g class="linear"><path d="M${String(margin.left + legend.length * 110)},16h22"/><text x="${String(margin.left + 28 + legend.length * 110)}" y="20">linear</text></g>`,
    ...panels.map(
      (panel, index) =>
        `<g transform="translate(${String(index * (panelWidth + margin.left + margin.right) + margin.left)},${String(margin.top)})">${panelSvg(panel, objects)}</g>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function panelSvg({ title, show, lines }: Panel, objects: string): string {
  const points = lines.map((line) =>
    line.flatMap(({ objects: size, spread }) =>
      spread === undefined || spread.median <= 0 ? [] : [{ size, ...spread }],
    ),
  );
  const all = points.flat();
  const across = rangeOf(all.map(({ size }) => size));
  const up = rangeOf(all.flatMap(({ median, least, most }) => [median, Math.max(least, median / 1e3), most]));
  const x = (size: number): number => at(size, across) * panelWidth;
  const y = (value: number): number => (1 - at(value, up)) * panelHeight;
  const [first] = points[0] ?? [];
  const sizes = [...new Set(all.map(({ size }) => size))];
  return [
    `<text class="title" x="0" y="-12">${escape(title)}</text>`,
    ...ticks(up).map(
      (value) =>
        `<path class="grid" d="M0,${place(y(value))}h${String(panelWidth)}"/><text class="tick" x="-6" y="${place(y(value) + 4)}" text-anchor="end">${escape(show(value))}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<path class="grid" d="M${place(x(size))},0v${String(panelHeight)}"/><text class="tick" x="${place(x(size))}" y="${String(panelHeight + 16)}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    `<text class="tick" x="${String(panelWidth / 2)}" y="${String(panelHeight + 34)}" text-anchor="middle">${escape(objects)}</text>`,
    ...(first === undefined ? [] : [linear(first.size, first.median, across, up)]),
    ...points.map((line, index) => lineSvg(line, index, x, y)),
  ].join('\n');
}

function lineSvg(
  line: readonly {
    readonly size: number;
    readonly median: number;
    readonly least: number;
    readonly most: number;
  }[],
  index: number,
  x: (size: number) => number,
  y: (value: number) => number,
): string {
  const path = line.map(({ size, median }) => `${place(x(size))},${place(y(median))}`).join('L');
  const marks = line.map(
    ({ size, median }) => `<circle cx="${place(x(size))}" cy="${place(y(median))}" r="3.5"/>`,
  );
  const spreads = line
    .filter(({ least, most }) => least < most)
    .map(({ size, least, most }) => `<path d="M${place(x(size))},${place(y(least))}V${place(y(most))}"/>`);
  return `<g class="line${String(index)}">${path === '' ? '' : `<path d="M${path}"/>`}${spreads.join('')}${marks.join('')}</g>`;
}

/** Draws a line with the slope of linear growth from a point to the edge of the panel. */
function linear(size: number, value: number, across: Range, up: Range): string {
  const end = Math.min(across.to, (size * up.to) / value);
  const toX = (at(end, across) * panelWidth).toFixed(1);
  const toY = ((1 - at((value * end) / size, up)) * panelHeight).toFixed(1);
  return `<g class="linear"><path d="M${place(at(size, across) * panelWidth)},${place((1 - at(value, up)) * panelHeight)}L${toX},${toY}"/></g>`;
}

/** Returns a range with a little room on both sides; a whole decade if all values are equal. */
function rangeOf(values: readonly number[]): Range {
  const from = Math.min(...values);
  const to = Math.max(...values);
  return values.length === 0 ? { from: 1, to: 10 } : { from: from / 1.3, to: to * 1.3 };
}

/** Returns the position in the range, from 0 to 1. */
function at(value: number, { from, to }: Range): number {
  return Math.log(value / from) / Math.log(to / from);
}

/**
 * Returns 1, 2 and 5 of each decade in the range; only 1 for a wide range, and every step for a narrow one.
 */
function ticks({ from, to }: Range): readonly number[] {
  const decades = Array.from(
    { length: Math.ceil(Math.log10(to)) - Math.floor(Math.log10(from)) + 1 },
    (_, index) => 10 ** (Math.floor(Math.log10(from)) + index),
  );
  const steps = to / from > 200 ? [1] : to / from > 6 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return decades
    .flatMap((decade) => steps.map((step) => Number((step * decade).toPrecision(3))))
    .filter((value) => value >= from && value <= to);
}

function place(pixels: number): string {
  return String(Number(pixels.toFixed(1)));
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Colours that people with red-green colour blindness can distinguish, on white and on black. */
const style = `
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.tick { fill: #57606a; font-size: 11px }
.ground { fill: #ffffff }
path { fill: none; stroke-width: 2 }
.grid { stroke: #d8dee4; stroke-width: 1 }
.line0 { stroke: #0550ae; fill: #0550ae }
.line1 { stroke: #bc4c00; fill: #bc4c00 }
.line0 text, .line1 text, .linear text { stroke: none }
.linear path { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 4 4 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.tick { fill: #9198a1 }
.ground { fill: #0d1117 }
.grid { stroke: #30363d }
.line0 { stroke: #58a6ff; fill: #58a6ff }
.line1 { stroke: #f0883e; fill: #f0883e }
.linear path { stroke: #6e7681 }
}
`;
