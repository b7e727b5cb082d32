import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binaryPath, type Environment } from '@holdfast/testing/binaries';
import { goEnvironment, type GoBuild } from './go-build.ts';
import { UnavailableError } from './unavailable-error.ts';

export interface BuildOptions {
  readonly env: Environment;
  /** When aborted, ends the Go tool with everything that it started. */
  readonly signal: AbortSignal;
  /** Called with a line of progress at intervals. */
  readonly report: (line: string) => void;
  /** The interval in milliseconds; default 15,000. */
  readonly reportEveryMs?: number;
}

/** How much of the end of Go's output an error includes, in characters. */
const keptOutput = 4_000;

const stopBoundMs = 5_000;

/** The platform to build for: that of this machine, by Go's names. */
export function goTarget(
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): { readonly GOOS: string; readonly GOARCH: string } {
  return {
    GOOS: platform === 'win32' ? 'windows' : platform,
    GOARCH: arch === 'x64' ? 'amd64' : arch === 'ia32' ? '386' : arch,
  };
}

/**
 * Builds the programs into `outDir`.
 *
 * @throws UnavailableError if Go is missing, or older than the build needs
 * @throws the signal's reason if it was aborted; an Error with the end of Go's output if the build failed
 */
export async function build(what: GoBuild, outDir: string, options: BuildOptions): Promise<void> {
  const { env, signal, report, reportEveryMs = 15_000 } = options;
  const { title } = what;
  const version = await requireGo(what, env);
  report(`building ${title} with Go ${version}: ${what.effort}`);
  const started = performance.now();
  const elapsed = (): string => duration(performance.now() - started);
  // In the output folder, so that whatever a dying build leaves is found and removed later.
  const scratch = join(outDir, 'go-tmp');
  await mkdir(scratch);
  const outputs =
    what.oneByOne === true
      ? what.packages.map((name, at) => [binaryPath(outDir, what.programs[at] ?? ''), name])
      : [[`${outDir}/`, ...what.packages]];
  for (const output of outputs) {
    signal.throwIfAborted();
    await runGo({
      title,
      arguments: [...what.arguments, '-o', ...output],
      folder: what.folder,
      env: { ...goEnvironment(env), ...goTarget(), GOTMPDIR: scratch },
      signal,
      report,
      reportEveryMs,
      elapsed,
    });
  }
  await rm(scratch, { recursive: true, force: true });
  report(`built ${title} in ${elapsed()}`);
}

interface GoRun extends Required<Omit<BuildOptions, 'env'>> {
  readonly title: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly elapsed: () => string;
}

async function runGo(run: GoRun): Promise<void> {
  const { title, folder, env, signal, report, reportEveryMs, elapsed } = run;
  const child = spawn('go', run.arguments, {
    cwd: folder,
    // A process group of its own, so that the compilers can be stopped together with the tool that started
    // them.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let output = '';
  const keepEnd = (chunk: string): void => {
    output = (output + chunk).slice(-keptOutput);
  };
  child.stdout.setEncoding('utf8').on('data', keepEnd);
  child.stderr.setEncoding('utf8').on('data', keepEnd);

  let overdue: NodeJS.Timeout | undefined;
  const stop = (): void => {
    // On an interrupt, go finishes its writes to the cache.
    signalGroup(child, 'SIGINT');
    overdue = setTimeout(signalGroup, stopBoundMs, child, 'SIGKILL');
  };
  signal.addEventListener('abort', stop, { once: true });
  const progress = setInterval(() => {
    report(`building ${title}, ${elapsed()}: ${lastLine(output)}`);
  }, reportEveryMs);
  try {
    const [code, killedBy] = await closed;
    signal.throwIfAborted();
    if (code !== 0) {
      const end = killedBy === null ? `exit code ${code}` : `signal ${killedBy}`;
      throw new Error(
        `building ${title} failed after ${elapsed()}: go build ended with ${end}, and said:\n${output.trimEnd()}`,
      );
    }
  } finally {
    clearInterval(progress);
    clearTimeout(overdue);
    signal.removeEventListener('abort', stop);
  }
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  try {
    process.kill(-child.pid, name);
  } catch {
    // It has just ended by itself, or this is Windows, which has no process groups.
    child.kill(name);
  }
}

/** Returns the version of the machine's Go, such as `1.26.8`. */
async function requireGo({ title, minimumGo, otherWay }: GoBuild, env: Environment): Promise<string> {
  const wayOut = `install Go ${minimumGo} or later (https://go.dev/dl/), or ${otherWay}`;
  let said: string;
  try {
    ({ stdout: said } = await promisify(execFile)('go', ['version'], { env: goEnvironment(env) }));
  } catch (error) {
    throw new UnavailableError(
      `${title} must be built, and "go version" does not run (${firstLine(error)}): ${wayOut}`,
    );
  }
  const version = /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(said)?.[1];
  if (version === undefined || !isAtLeast(version, minimumGo)) {
    throw new UnavailableError(`${title} cannot be built with "${said.trim()}": ${wayOut}`);
  }
  return version;
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimum.split('.').map(Number);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor);
}

function firstLine(error: unknown): string {
  return String(error).split('\n', 1)[0] ?? '';
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) || 'no output from go yet';
}

/** `45s`, `2m05s`. */
function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
}
