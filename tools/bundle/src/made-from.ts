import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/**
 * Records what a bundle was made from. The record is kept in node_modules, so that a new installation
 * discards it.
 */
const record = (app: string): string => join('node_modules/.cache/holdfast-bundle', `${basename(app)}.json`);

/** The files that affect every bundle in addition to its own sources. */
const shared = [
  'package-lock.json',
  ...readdirSync(import.meta.dirname).map((name) => relative(process.cwd(), join(import.meta.dirname, name))),
];

/**
 * Whether the bundle exists unchanged, and nothing from which it was made has changed since.
 *
 * @param app folder of the app
 */
export function isUpToDate(app: string): boolean {
  if (!existsSync(record(app)) || !existsSync(bundleOf(app))) {
    return false;
  }
  const digests = JSON.parse(readFileSync(record(app), 'utf8')) as Readonly<Record<string, string>>;
  return Object.entries(digests).every(([path, digest]) => digestOf(path) === digest);
}

/** @param inputs the sources of the bundle that was just made */
export function rememberWhatItWasMadeFrom(app: string, inputs: readonly string[]): void {
  const paths = [...inputs, ...shared, bundleOf(app), `${bundleOf(app)}.files.json`];
  mkdirSync(dirname(record(app)), { recursive: true });
  writeFileSync(record(app), JSON.stringify(Object.fromEntries(paths.map((path) => [path, digestOf(path)]))));
}

const bundleOf = (app: string): string => join(app, 'dist/main.js');

function digestOf(path: string): string | undefined {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined;
}
