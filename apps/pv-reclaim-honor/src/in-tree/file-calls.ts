import { readlinkSync } from 'node:fs';
import { posix } from 'node:path';
import type { Clock } from '@holdfast/runtime';
import type { Logger } from 'pino';
import { createLine } from './line.ts';
import { mountPointOf, readMounts } from './mount-table.ts';
import { bytesOf, codeOf, pathWithin } from './open-folder.ts';

/*
 * Calls into file systems that might never return. NFS without its server, and FUSE with a process that
 * hangs, block a call for as long as that lasts, and a call cannot be cancelled. Each blocks one of the few
 * threads that Node has for all file systems, names and credentials.
 */

/**
 * A file system does not answer, or was not asked because it does not. It is unknown whether the last call
 * took effect.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** What connects a row of calls with its waiting caller. */
export interface Patience {
  /** Must be called whenever the file system has answered: the limit starts over. */
  readonly answered: () => void;
  /**
   * Aborted when nobody waits for the row any more. If an answer comes after all, it must not lead to a
   * further change.
   */
  readonly signal: AbortSignal;
}

export interface RowOptions<T> {
  /** How long the file system can be silent, in milliseconds. Default: 10000. */
  readonly limit?: number;
  /** Receives the result of a row that has ended after all, when nobody waits for it any more. */
  readonly late?: (result: T) => Promise<void>;
}

/**
 * Makes calls into file systems that might not answer.
 *
 * # Guarantees
 * Rows begin in the order in which they are requested, and at most `atOnce` are waited for at a time, however
 * many callers there are.
 *
 * A row without an answer costs its caller no more than the limit, and the process one thread. Until it ends,
 * no other row is begun at its path, within it, around it, or in the same mount according to the text of the
 * path. At most `atMost` rows are left without an answer.
 */
export interface FileCalls {
  /**
   * Makes a row of calls into the file system of a path, one after the other. The row continues after its
   * caller has given up, so it must itself close what it opens.
   *
   * @param path absolute.
   * @throws NoAnswerError if the file system is silent for the limit, or was before; NoTurnError if the row
   *   was not begun within 20 s because others were under way; what the row throws.
   */
  make<T>(path: string, row: (patience: Patience) => Promise<T>, options?: RowOptions<T>): Promise<T>;
}

export interface FileCallsOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** How many rows are waited for at a time; further ones queue. */
  readonly atOnce: number;
  /** How many rows can be without an answer; at this number no further row is begun. */
  readonly atMost: number;
  /** Receives the number of rows without an answer whenever it changes. */
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

  /** Returns why no row can be begun at a path; undefined if one can. */
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
 * Returns whether a call at the path would be in vain while a row is silent. A path in the mount of `/`
 * itself reaches the silent place in some other way, so it says nothing about other paths in that mount.
 */
function isBeside(row: SilentRow, path: string, mountPoint: string): boolean {
  return (
    (row.mountPoint !== '/' && row.mountPoint === mountPoint) ||
    pathWithin(row.path, path) !== undefined ||
    pathWithin(path, row.path) !== undefined
  );
}

/**
 * Returns the mount point of the mount that the path leads into: by its text, and, below `/` itself, by
 * following links. Only what is in the mount of `/` is looked at, without which no process runs.
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

/** As many links as Linux follows. */
const linksFollowed = 40;

/** Returns the path with its first link replaced by the link's target; undefined if there is none. */
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

/** Linux accepts no longer path (PATH_MAX), so what follows adds nothing. */
const longestPath = 4096;

/** Returns a path for messages: a volume can name a path of a megabyte. */
function shown(path: string): string {
  return path.length <= longestPath ? path : `${path.slice(0, longestPath)}...`;
}
