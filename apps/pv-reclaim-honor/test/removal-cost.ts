import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, open, realpath, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { noOthers, volume } from './objects.ts';

/*
 * A program: makes the folder of a hostPath volume, so deep and with that many files, deletes it, and prints what that took.
 *
 *     node test/removal-cost.ts DEPTH FILES
 */

const [depth, files] = process.argv.slice(2).map(Number);

/** A chain of folders, deeper than a path can be long. */
async function makeDeep(path: string): Promise<void> {
  let folder: FileHandle = await open(path);
  for (let level = 0; level < (depth ?? 0); level++) {
    const next = `/proc/self/fd/${String(folder.fd)}/d`;
    await mkdir(next);
    await writeFile(`/proc/self/fd/${String(folder.fd)}/file`, '');
    const below = await open(next);
    await folder.close();
    folder = below;
  }
  await folder.close();
}

/** So that a list of them all would be noticed. */
const longName = 'x'.repeat(230);

async function makeWide(path: string): Promise<void> {
  for (let file = 0; file < (files ?? 0); file += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => writeFile(join(path, `${longName}-${String(file + at)}`), '')),
    );
  }
}

const root = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-removal-')));
const path = join(root, 'v');
await mkdir(path);
await makeDeep(path);
await makeWide(path);
let descriptors = 0;
let memory = 0;
const before = process.memoryUsage().rss;
const sampler = setInterval(() => {
  descriptors = Math.max(descriptors, readdirSync('/proc/self/fd').length);
  memory = Math.max(memory, process.memoryUsage().rss - before);
}, 1);
const cpu = process.cpuUsage();
await hostPathPlugin(root, noOthers).delete(
  volume({ source: { hostPath: { path } } }),
  new AbortController().signal,
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
await rm(root, { recursive: true });
