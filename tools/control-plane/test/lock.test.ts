import { spawnSync } from 'node:child_process';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withLock, type LockOptions } from '../src/lock.ts';
import { temporaryFolders } from './temporary-folder.ts';
import { until } from './until.ts';

const newFolder = temporaryFolders();
const patient = (waits: number[] = []): LockOptions => ({
  signal: new AbortController().signal,
  onWait: (pid) => void waits.push(pid),
});

/** The pid of a process that has just ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

describe('withLock', () => {
  test('many at once -> never two inside, and nothing left', async () => {
    const folder = await newFolder();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    };
    await Promise.all([1, 2, 3].map(() => withLock(join(folder, 'l'), patient(), work)));
    expect(most).toBe(1);
    expect(await readdir(folder)).toStrictEqual([]);
  });

  test('work throws -> lock given back', async () => {
    const file = join(await newFolder(), 'l');
    await expect(withLock(file, patient(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withLock(file, patient(), () => Promise.resolve('mine'))).toBe('mine');
  });

  test('holder died -> taken over without waiting', async () => {
    const folder = await newFolder();
    const file = join(folder, 'l');
    await writeFile(file, JSON.stringify({ pid: deadPid(), host: hostname() }));
    const waits: number[] = [];
    expect(await withLock(file, patient(waits), () => Promise.resolve('mine'))).toBe('mine');
    expect(waits).toStrictEqual([]);
    expect(await readdir(folder)).toStrictEqual([]);
  });

  test('holder lives -> waits, says for whom once, goes on when it is given back', async () => {
    const file = join(await newFolder(), 'l');
    const waits: number[] = [];
    const order: string[] = [];
    let second: Promise<void> | undefined;
    await withLock(file, patient(), async () => {
      second = withLock(file, patient(waits), () => {
        order.push('second');
        return Promise.resolve();
      });
      await until('the second waits', () => waits.length === 1);
      order.push('first');
    });
    await second;
    expect(order).toEqual(['first', 'second']);
    expect(waits).toEqual([process.pid]);
  });

  test('pid belongs to somebody, no sign of life for over a minute -> taken over', async () => {
    const file = join(await newFolder(), 'l');
    await writeFile(file, JSON.stringify({ pid: process.ppid, host: hostname() }));
    const longAgo = new Date(Date.now() - 61_000);
    await utimes(file, longAgo, longAgo);
    expect(await withLock(file, patient(), () => Promise.resolve('mine'))).toBe('mine');
  });

  test('holder on another machine with a sign of life -> waited for, though no such pid is here', async () => {
    const file = join(await newFolder(), 'l');
    await writeFile(file, JSON.stringify({ pid: deadPid(), host: `not-${hostname()}` }));
    const interrupted = new AbortController();
    const waiting = withLock(
      file,
      { signal: interrupted.signal, onWait: () => interrupted.abort(new Error('enough')) },
      () => Promise.resolve('mine'),
    );
    await expect(waiting).rejects.toThrow('enough');
  });

  test('aborted while waiting -> throws the reason, the holder keeps the lock', async () => {
    const folder = await newFolder();
    const file = join(folder, 'l');
    await withLock(file, patient(), async () => {
      const interrupted = new AbortController();
      const waiting = withLock(
        file,
        { signal: interrupted.signal, onWait: () => interrupted.abort(new Error('enough')) },
        () => Promise.resolve(),
      );
      await expect(waiting).rejects.toThrow('enough');
      expect(await readdir(folder)).toEqual(['l']);
    });
  });
});
