import { readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import type { Clock } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { createLine } from './line.ts';
import { mountPointOf, readMounts } from './mount-table.ts';
import { bytesOf, codeOf, pathWithin } from './open-folder.ts';

/*
 * Calls into file systems that might never return. NFS whose server is away, and FUSE whose process hangs, keep a call for as long as that
 * lasts, and no call can be taken back. Each holds one of the few threads that Node has for all file systems, names and credentials.
 */

/** A file system does not answer, or was not asked because it does not. Whether the last call took effect is not known. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** What a row of calls learns of the one who waits for it. */
export interface Patience {
  /** To be called whenever the file system has answered: the limit counts from there. */
  readonly answered: () => void;
  /** Aborted when nobody waits for the row any more: what answers after all must lead to no further change. */
  readonly signal: AbortSignal;
}

export interface RowOptions<T> {
  /** How long the file system may be silent, milliseconds. Default 10000. */
  readonly limit?: number;
  /** Gets the result of a row that has ended after all, when nobody waits for it any more. */
  readonly late?: (result: T) => Promise<void>;
}

/**
 * # Guarantees
 * Rows begin in the order in which they are asked for, and no more than `atOnce` are waited for at a time, however many callers there are.
 *
 * A row that gets no answer costs its caller no more than the limit, and the process one thread: until it ends no other is begun at its path,
 * within it, around it, or in the same mount by the text of the path, and not more than `atMost` are left without an answer.
 */
export interface FileCalls {
  /**
   * Makes a row of calls into the file system of a path, one after the other. The row goes on after its caller has been given up on: what it
   * holds open it must close by itself.
   *
   * @param path absolute.
   * @throws NoAnswerError when the file system is silent for the limit, or was before; NoTurnError when the row was not begun within 20 s
   *   since others were under way; what the row throws.
   */
  make<T>(path: string, row: (patience: Patience) => Promise<T>, options?: RowOptions<T>): Promise<T>;
}

export interface FileCallsOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Rows that are waited for at a time; further ones stand in line. */
  readonly atOnce: number;
  /** Rows without an answer; when there are this many, none is begun. */
  readonly atMost: number;
  /** Gets the number of rows without an answer whenever it changes. */
  readonly onSilent: (rows: number) => void;
}

const defaultLimit = 10_000;

interface SilentRow {
  readonly path: string;
  readonly mountPoint: string;
  readonly since: number;
}

export function createFileCalls({ clock, logger, atOnce, atMost, onSilent }: FileCallsOptions): FileCalls {
  const silent = new Set<SilentRow>();
  const inTurn = createLine(clock, () => atOnce);

  /** Why no row can be begun at a path; undefined: one can be. */
  const obstacle = (path: string): NoAnswerError | undefined => {
    if (silent.size === 0) {
      return undefined;
    }
    const mountPoint = mountPointOfPath(path);
    const row = [...silent].find((each) => isBeside(each, path, mountPoint));
    if (row !== undefined) {
      return noAnswer(row.path, clock.now() - row.since);
    }
    if (silent.size < atMost) {
      return undefined;
    }
    const paths = [...silent].map((each) => `"${shown(each.path)}"`).join(', ');
    return new NoAnswerError(`not asked, because the file systems of ${paths} do not answer`);
  };

  const begin = <T>(
    path: string,
    row: (patience: Patience) => Promise<T>,
    { limit = defaultLimit, late }: RowOptions<T>,
  ): Promise<T> => {
    const error = obstacle(path);
    if (error !== undefined) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const givingUp = new AbortController();
      let since = clock.now();
      let silentRow: SilentRow | undefined;
      const judge = (): void => {
        const left = since + limit - clock.now();
        if (left > 0) {
          timer = clock.after(left, judge);
          return;
        }
        silentRow = { path, mountPoint: mountPointOfPath(path), since };
        silent.add(silentRow);
        onSilent(silent.size);
        logger.warn({ path: shown(path), afterMs: limit }, 'File system does not answer');
        const reason = noAnswer(path, limit);
        givingUp.abort(reason);
        reject(reason);
      };
      let timer = clock.after(limit, judge);
      /** @returns whether somebody waits for it. */
      const end = (): boolean => {
        timer.cancel();
        if (silentRow === undefined) {
          return true;
        }
        silent.delete(silentRow);
        onSilent(silent.size);
        logger.info(
          { path: shown(path), afterMs: Math.round(clock.now() - since) },
          'File system has answered',
        );
        return false;
      };
      const answered = (): void => {
        since = clock.now();
      };
      row({ answered, signal: givingUp.signal }).then(
        (result) => {
          if (end()) {
            resolve(result);
          } else {
            late?.(result).catch((cause: unknown) =>
              logger.warn({ path: shown(path), err: cause }, 'Folder not closed'),
            );
          }
        },
        (cause: unknown) => {
          if (end()) {
            reject(cause instanceof Error ? cause : new Error(String(cause)));
          }
        },
      );
    });
  };
  return {
    make: (given, row, options = {}) => inTurn(() => begin(posix.resolve('/', given), row, options)),
  };
}

/**
 * Whether the path is asked for in vain while a row is silent. What is in the mount of `/` itself leads in some other way to where no answer
 * comes from, and says nothing of the others there.
 */
function isBeside(row: SilentRow, path: string, mountPoint: string): boolean {
  return (
    (row.mountPoint !== '/' && row.mountPoint === mountPoint) ||
    pathWithin(row.path, path) !== undefined ||
    pathWithin(path, row.path) !== undefined
  );
}

/**
 * Where the mount is shown into which the path leads: by its text, and, below `/` itself, by the links on its way. Only what is in the mount of
 * `/` is looked at, without which no process runs.
 */
function mountPointOfPath(path: string): string {
  const mounts = readMounts();
  let at: string | undefined = path;
  for (let links = 0; at !== undefined && links < linksFollowed; links++) {
    const mountPoint = mountPointOf(bytesOf(at), mounts);
    if (mountPoint !== '/') {
      return mountPoint;
    }
    at = throughFirstLink(at);
  }
  return '/';
}

/** As many as Linux follows. */
const linksFollowed = 40;

/** The path with the first link on its way replaced by what it leads to; undefined: there is none. */
function throughFirstLink(path: string): string | undefined {
  const steps = path.split('/').slice(1);
  for (let taken = 1; taken <= steps.length; taken++) {
    const part = `/${steps.slice(0, taken).join('/')}`;
    try {
      return posix.resolve(posix.dirname(part), readlinkSync(part), ...steps.slice(taken));
    } catch (error) {
      if (codeOf(error) !== 'EINVAL') {
        return undefined;
      }
    }
  }
  return undefined;
}

function noAnswer(path: string, after: number): NoAnswerError {
  return new NoAnswerError(
    `its file system has not answered for ${(after / 1000).toFixed()} s (at "${shown(path)}")`,
  );
}

/** Linux takes no longer path (PATH_MAX), so that what is beyond says nothing more. */
const longestPath = 4096;

/** A path as people are shown it: whoever writes a volume might write a megabyte. */
function shown(path: string): string {
  return path.length <= longestPath ? path : `${path.slice(0, longestPath)}...`;
}
