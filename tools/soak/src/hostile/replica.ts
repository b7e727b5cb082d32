import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { processUsage } from '@holdfast/testing';

/** The resources that a process uses at one moment. */
export interface Footprint {
  /** Since the run began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly descriptors: number;
}

/** One process of a replica, from its start to its end. */
export interface ProcessLife {
  readonly replica: string;
  /** In seconds since the run began. */
  readonly from: number;
  readonly footprints: readonly Footprint[];
  /** How it ended, and whether it had logged the loss of its lease; undefined if it still runs. */
  readonly end:
    { readonly how: string; readonly hadLostLease: boolean; readonly lastLines: string } | undefined;
}

/** A replica of an app's Deployment: the bundle as a process, which is restarted whenever it ends. */
export interface Replica {
  readonly name: string;
  readonly app: string;
  readonly lives: readonly ProcessLife[];
  /** Lines on standard error that are not part of its log. */
  readonly strayLines: readonly string[];
  /** Whether the present process has logged that it became leader. */
  readonly leads: boolean;
  /** How often each message of level error or above was logged. */
  readonly errors: ReadonlyMap<string, number>;
  /** Stops the process for so long (SIGSTOP, SIGCONT). Never rejects. */
  freeze(milliseconds: number): Promise<void>;
  /** Reads the resources that the process uses now; does nothing if it is about to end or to start. */
  sample(): Promise<void>;
  /** Sends SIGTERM, and SIGKILL after half a minute. Resolves with how it ended; it is not restarted. */
  stop(): Promise<string>;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly app: string;
  /** The app's bundle. */
  readonly program: string;
  readonly args: readonly string[];
  /** The file for its log. */
  readonly logFile: string;
  /** Milliseconds by `performance.now()`. */
  readonly began: number;
}

const restartDelay = 1_000;
const stopLimit = 30_000;
const errorLevels: ReadonlySet<string> = new Set(['error', 'fatal']);

interface LogLine {
  readonly level?: string;
  readonly msg?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function startReplica(options: ReplicaOptions): Replica {
  const { name, app, began } = options;
  const lives: Mutable<ProcessLife>[] = [];
  const strayLines: string[] = [];
  const errors = new Map<string, number>();
  const log = createWriteStream(options.logFile);
  let child: ChildProcess | undefined;
  let leads = false;
  let isStopping = false;
  const seconds = (): number => (performance.now() - began) / 1000;

  const live = async (): Promise<string> => {
    const footprints: Footprint[] = [];
    const life: Mutable<ProcessLife> = { replica: name, from: seconds(), footprints, end: undefined };
    const last: string[] = [];
    let hadLostLease = false;
    lives.push(life);
    leads = false;
    const running = spawn(process.execPath, [options.program, ...options.args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      env: { PATH: process.env['PATH'] },
    });
    child = running;
    createInterface({ input: running.stderr }).on('line', (line) => {
      log.write(`${line}\n`);
      last.push(line);
      if (last.length > 10) {
        last.shift();
      }
      if (!line.startsWith('{')) {
        strayLines.push(`${name}: ${line}`);
        return;
      }
      const { level = '', msg = '' } = JSON.parse(line) as LogLine;
      if (msg === 'Became leader') {
        leads = true;
      } else if (msg === 'Lost the lease' || msg === 'Released the lease') {
        leads = false;
        hadLostLease ||= msg === 'Lost the lease';
      }
      if (errorLevels.has(level)) {
        errors.set(msg, (errors.get(msg) ?? 0) + 1);
      }
    });
    const [code, signal] = (await once(running, 'close')) as [number | null, NodeJS.Signals | null];
    const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
    child = undefined;
    leads = false;
    life.end = { how, hadLostLease, lastLines: last.join('\n') };
    return how;
  };

  const keepAlive = async (): Promise<string> => {
    for (;;) {
      const how = await live();
      if (isStopping) {
        log.end();
        return how;
      }
      await pause(restartDelay);
    }
  };
  const ended = keepAlive();

  return {
    name,
    app,
    lives,
    strayLines,
    errors,
    get leads() {
      return leads;
    },
    freeze: async (milliseconds) => {
      const frozen = child;
      frozen?.kill('SIGSTOP');
      await pause(milliseconds);
      frozen?.kill('SIGCONT');
    },
    sample: async () => {
      const pid = child?.pid;
      const life = lives.at(-1);
      if (pid === undefined || life === undefined) {
        return;
      }
      try {
        const [{ residentBytes }, descriptors] = await Promise.all([
          processUsage(pid),
          readdir(`/proc/${String(pid)}/fd`),
        ]);
        life.footprints = [
          ...life.footprints,
          { seconds: seconds(), residentBytes, descriptors: descriptors.length },
        ];
      } catch {
        // The process has just ended.
      }
    },
    stop: () => {
      isStopping = true;
      const overdue = setTimeout(() => child?.kill('SIGKILL'), stopLimit);
      child?.kill('SIGTERM');
      return ended.finally(() => clearTimeout(overdue));
    },
  };
}
