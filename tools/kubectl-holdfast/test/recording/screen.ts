import type { Page } from 'playwright-core';
import type { Frame } from './animated-png.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A terminal and a page beside it, of which pictures are taken. */
export interface Screen {
  /** Adds text to the terminal, which shows its end. */
  type(text: string): Promise<void>;
  /** Takes a picture of what has changed, which is shown for so many milliseconds. */
  take(shownFor: number): Promise<void>;
  frames(): readonly Frame[];
}

const style = `
  body { margin: 0; background: #10151c; }
  pre { box-sizing: border-box; position: fixed; inset: 0; margin: 0; padding: 14px 18px; display: flex; flex-direction: column; justify-content: flex-end;
    color: #dbe4ee; font: 12.5px/1.4 "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; overflow: hidden; }
  pre > div { min-height: min-content; }
`;

/**
 * @param terminal an empty page, for the left side.
 * @param beside a page of its own, for the right side; `size` is that of its pictures, which need not be its own.
 */
export async function openScreen(
  { terminal, width }: { readonly terminal: Page; readonly width: number },
  { beside, size }: { readonly beside: Page; readonly size: Size },
): Promise<Screen> {
  const whole = { width: width + size.width, height: size.height };
  await terminal.setViewportSize(whole);
  const frames: Frame[] = [];
  let typed = '';
  let left: Buffer | undefined;
  let right: Buffer | undefined;

  const showLonger = (shownFor: number): void => {
    const last = frames.pop();
    if (last !== undefined) {
      frames.push({ ...last, shownFor: last.shownFor + shownFor });
    }
  };
  return {
    type: (text) => {
      typed += text;
      const lines = typed.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return terminal.setContent(
        `<style>${style}</style><pre style="width:${String(width)}px"><div>${lines}</div></pre>`,
      );
    },
    take: async (shownFor) => {
      const clip = { x: 0, y: 0, width: frames.length === 0 ? whole.width : width, height: size.height };
      const [nowLeft, nowRight] = await Promise.all([terminal.screenshot({ clip }), beside.screenshot()]);
      if (left?.equals(nowLeft) !== true) {
        frames.push({ png: nowLeft, x: 0, y: 0, shownFor: 0 });
      }
      if (right?.equals(nowRight) !== true) {
        frames.push({ png: nowRight, x: width, y: 0, shownFor: 0 });
      }
      [left, right] = [nowLeft, nowRight];
      showLonger(shownFor);
    },
    frames: () => frames,
  };
}
