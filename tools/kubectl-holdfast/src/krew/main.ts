/*
 * Prints the krew manifest of a release:
 *
 *     node tools/kubectl-holdfast/src/krew/main.ts ARCHIVE URI HOMEPAGE > holdfast.yaml
 *
 * ARCHIVE holds dist/main.js and LICENSE at its root, and is to be had at URI.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dump } from 'js-yaml';
import { version } from '../version.ts';
import { krewManifest } from './manifest.ts';

const [archive, uri, homepage] = process.argv.slice(2);
if (archive === undefined || uri === undefined || homepage === undefined) {
  process.stderr.write('usage: node tools/kubectl-holdfast/src/krew/main.ts ARCHIVE URI HOMEPAGE\n');
  process.exitCode = 2;
} else {
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  process.stdout.write(dump(krewManifest({ version, uri, sha256, homepage }), { lineWidth: -1 }));
}
