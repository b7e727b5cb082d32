import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { answeredCalls, atWill, noOthers, volume } from './objects.ts';

/*
 * A program: makes the folder of a hostPath volume, so deep and with that many files, deletes it, and prints what that
 * took.
 *
 *     node test/removal-cost.ts DEPTH FILES
 */

const [depth, files] = process.argv.slice(2).map(Number);

/** A chain of folders, deeper than a path can be long. */
function makeDeep(path: string): void {
  let folder = openSync(path, 'r');
  for (let level = 0; level < (depth ?? 0); level++) {
    const next = `/proc/self/fd/${String(folder)}/d`;
    mkdirSync(next);
    writeFileSync(`/proc/self/fd/${String(folder)}/file`, '');
    const below = openSync(next, 'r');
    closeSync(folder);
    folder = below;
  }
  closeSync(folder);
}

/** So that a list of them all would be noticed. */
const longName = 'x'.repeat(230);

function makeWide(path: string): void {
  for (let file = 0; file < (files ?? 0); file++) {
    writeFileSync(join(path, `${longName}-${String(file)}`), '');
  }
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-removal-')));
const path = join(root, 'v');
mkdirSync(path);
makeDeep(path);
makeWide(path);
let descriptors = 0;
let memory = 0;
const before = process.memoryUsage().rss;
const sampler = setInterval(() => {
  descriptors = Math.max(descriptors, readdirSync('/proc/self/fd').length);
  memory = Math.max(memory, process.memoryUsage().rss - before);
}, 20);
const cpu = process.cpuUsage();
await hostPathPlugin(root, noOthers, answeredCalls).delete(
  volume({ source: { hostPath: { path } } }),
  atWill,
);
clearInterval(sampler);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(
  `${JSON.stringify({
    left: readdirSync(root),
    descriptors,
    mebibytes: Math.round(memory / 2 ** 20),
    cpuSeconds: (user + system) / 1e6,
  })}\n`,
);
rmSync(root, { recursive: true });
