import { join, relative, sep } from 'node:path';
import { readManifest } from './manifest.ts';
import { whyNotPublished } from './repository.ts';

/**
 * npm runs this script in a package's folder, as its `prepublishOnly`. Exit code 1 keeps the package from
 * being published.
 */
const root = join(import.meta.dirname, '../../..');
const directory = relative(root, process.cwd()).replaceAll(sep, '/');
const reason = whyNotPublished(readManifest(root), readManifest(process.cwd()), directory);
if (reason !== undefined) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
