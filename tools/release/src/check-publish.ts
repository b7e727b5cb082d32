import { join, relative, sep } from 'node:path';
import { readManifest } from './manifest.ts';
import { whyNotPublished } from './repository.ts';

/** npm runs it in the folder of a package, as its `prepublishOnly`: exit 1 keeps the package from being published. */
const root = join(import.meta.dirname, '../../..');
const directory = relative(root, process.cwd()).replaceAll(sep, '/');
const reason = whyNotPublished(readManifest(root), readManifest(process.cwd()), directory);
if (reason !== undefined) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
