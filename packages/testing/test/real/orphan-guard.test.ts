import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startOrphanGuard } from '../../src/real/orphan-guard.ts';
import { temporaryFolders } from './temporary-folder.ts';
import { isAlive, until } from './until.ts';

const newFolder = temporaryFolders();
const module = join(import.meta.dirname, '..', '..', 'src', 'real', 'orphan-guard.ts');

/** Starts a process that guards a folder and two sleepers, one of which it takes back, and says their pids. */
async function startOwner(
  folder: string,
  then = '',
): Promise<{ pid: number; watched: number; forgotten: number }> {
  const script = `
    import { spawn } from 'node:child_process';
    import { startOrphanGuard } from ${JSON.stringify(module)};
    const guard = await startOrphanGuard(${JSON.stringify(folder)});
    const sleep = () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const [watched, forgotten] = [sleep(), sleep()];
    guard.watch(watched.pid);
    guard.watch(forgotten.pid);
    guard.forget(forgotten.pid);
    console.log(JSON.stringify({ watched: watched.pid, forgotten: forgotten.pid }));
    ${then}
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string];
  return { pid: owner.pid ?? 0, ...(JSON.parse(line) as { watched: number; forgotten: number }) };
}

describe('startOrphanGuard', () => {
  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'owner ended by %s -> what it watches is killed, the folder is gone, what it forgot is left alone',
    async (signal) => {
      const folder = join(await newFolder(), 'guarded');
      await mkdir(folder);
      await writeFile(join(folder, 'file'), '');
      const { pid, watched, forgotten } = await startOwner(folder);
      try {
        process.kill(pid, signal);
        await until('the watched one has ended', () => !isAlive(watched));
        await until('the folder is gone', async () => (await readdir(join(folder, '..'))).length === 0);
        expect(isAlive(forgotten)).toBe(true);
      } finally {
        process.kill(forgotten, 'SIGKILL');
      }
    },
  );

  test('owner exits without dismissing it -> the same', async () => {
    const folder = await newFolder();
    const { watched, forgotten } = await startOwner(folder, 'process.exit();');
    process.kill(forgotten, 'SIGKILL');
    await until('the watched one has ended', () => !isAlive(watched));
  });

  test('dismissed -> it ends, nothing is killed or removed', async () => {
    const folder = await newFolder();
    const guard = await startOrphanGuard(folder);
    const sleeper = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const ended = once(sleeper, 'exit');
    guard.watch(sleeper.pid ?? 0);
    await guard.dismiss();
    expect(isAlive(sleeper.pid ?? 0)).toBe(true);
    expect(await readdir(folder)).toStrictEqual([]);
    sleeper.kill('SIGKILL');
    await ended;
  });
});
