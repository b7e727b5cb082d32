import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A lock between processes, in a file that names its holder. If the holder died, that is noticed at once (its
 * pid is gone). If the holder is on another machine, or its pid was reused, that takes a minute without a
 * sign of life.
 *
 * If two processes take over from the same dead holder at the same instant, both might hold the lock. So code
 * that uses the lock must be correct even then, and only lose work. proper-lockfile makes the same
 * compromise, but relies on signs of life alone: after Ctrl-C and SIGKILL the next process would wait in
 * vain.
 */
export interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once before waiting, with the pid of the holder. */
  readonly onWait: (pid: number) => void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

const signOfLifeMs = 15_000;
const deadAfterMs = 60_000;
const pollMs = 200;

/**
 * Runs `work` while holding the lock. Waits for the lock for as long as its holder lives.
 *
 * @throws the signal's reason if it is aborted while waiting; what `work` throws
 */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(file, options);
  const heart = setInterval(() => {
    const now = new Date();
    // The file is gone if the cache was cleared in the meantime; the work does not depend on it.
    void utimes(file, now, now).catch(() => undefined);
  }, signOfLifeMs);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    if (isMine(await readHolder(file))) {
      await rm(file, { force: true });
    }
  }
}

async function acquire(file: string, { signal, onWait }: LockOptions): Promise<void> {
  let waiting = false;
  for (;;) {
    signal.throwIfAborted();
    const holder = await readHolder(file);
    if (holder === undefined) {
      if (await tryTake(file)) {
        return;
      }
    } else if (await isDead(file, holder)) {
      await takeAway(file, holder);
    } else {
      if (!waiting) {
        onWait(holder.pid);
      }
      waiting = true;
      await pause(pollMs);
    }
  }
}

async function tryTake(file: string): Promise<boolean> {
  const me: Holder = { pid: process.pid, host: hostname() };
  // Written under another name and then linked, so that no process ever reads a lock without its holder.
  const aside = `${file}.${randomUUID()}`;
  try {
    await writeFile(aside, JSON.stringify(me));
    return await tryLink(aside, file);
  } finally {
    await rm(aside, { force: true });
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  }
}

/**
 * Removes the dead holder's file. If it turns out to be the file of a live process that was faster, puts it
 * back.
 */
async function takeAway(file: string, dead: Holder): Promise<void> {
  const away = `${file}.${randomUUID()}`;
  try {
    await rename(file, away);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return;
    }
    throw error;
  }
  const taken = await readHolder(away);
  if (taken !== undefined && (taken.pid !== dead.pid || taken.host !== dead.host)) {
    await tryLink(away, file);
  }
  await rm(away, { force: true });
}

async function isDead(file: string, holder: Holder): Promise<boolean> {
  if (holder.host === hostname() && !isProcess(holder.pid)) {
    return true;
  }
  try {
    return Date.now() - (await stat(file)).mtimeMs > deadAfterMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return false;
    }
    throw error;
  }
}

/** Whether there is a process with that pid on this machine, whatever its owner. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return undefined;
    }
    throw error;
  }
}

function isMine(holder: Holder | undefined): boolean {
  return holder !== undefined && holder.pid === process.pid && holder.host === hostname();
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
