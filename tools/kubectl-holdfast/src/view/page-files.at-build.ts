import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';

/*
 * The files that a browser is sent. The bundler runs this module at build time and replaces it with what it
 * exports, so `dist/main.js` contains all texts.
 */

export interface PageFile {
  /** Content-Type. */
  readonly type: string;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};

/**
 * Keyed by the paths by which the page's own modules import each other: `page/main.ts`, `model/layout.ts`.
 */
export const pageFiles: Readonly<Record<string, PageFile>> = Object.fromEntries(
  ['page', 'model'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder)).flatMap((name) => {
      const type = types[extname(name)];
      return type === undefined ? [] : [[`${folder}/${name}`, { type, text: textOf(folder, name) }]];
    }),
  ),
);

function textOf(folder: string, name: string): string {
  const text = readFileSync(join(import.meta.dirname, folder, name), 'utf8');
  // Types are replaced by blanks, so lines and columns stay the same, and no source map is needed.
  return name.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}
