import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The names that Chromium and what is built of it have, as systems and vendors install them. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

/** Path of a Chromium: `HOLDFAST_CHROMIUM`, or the first of the PATH, or Playwright's own; undefined: there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [
    process.env['HOLDFAST_CHROMIUM'] ?? '',
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    chromium.executablePath(),
  ];
  return candidates.find((path) => path !== '' && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** It shows our own page of loopback alone: as root, which containers run as, Chromium has no sandbox of its own. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}

export const howToGetIt =
  "install Chromium (Debian's package chromium-headless-shell is enough), or set HOLDFAST_CHROMIUM to its path";
