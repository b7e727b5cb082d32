import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dispatch } from '../src/dispatch.ts';
import { outputTo } from '../src/output.ts';

const program = fileURLToPath(new URL('./fixtures/holdfast.ts', import.meta.url));
/** The sources, which a thread of the tests finds by their address only. */
const defining = new URL('../../core/src/custom-resource/index.ts', import.meta.url).href;
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with modules of an author's, and the program run in it. */
export interface Workshop extends AsyncDisposable {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  /** Runs the command in this process, whose working directory is the folder meanwhile: no two at once. */
  run(...args: readonly string[]): Promise<Ended>;
  /** Runs the program in a process of its own. */
  runProgram(...args: readonly string[]): Promise<Ended>;
  /** Begins a run of the program, for who wants to send it a signal. */
  start(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-crd-'));
  await symlink(modules, join(folder, 'node_modules'));
  const start: Workshop['start'] = (...args) => {
    const child = spawn(process.execPath, ['--conditions=@holdfast/source', program, ...args], {
      cwd: folder,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    return {
      child,
      ended: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr })),
    };
  };
  return {
    folder,
    write: (name, text) => writeFile(join(folder, name), text),
    run: (...args) => runIn(folder, args),
    runProgram: (...args) => start(...args).ended,
    start,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function runIn(folder: string, args: readonly string[]): Promise<Ended> {
  const before = process.cwd();
  let stdout = '';
  let stderr = '';
  const output = outputTo({ write: (text) => (stdout += text) }, { write: (text) => (stderr += text) });
  process.chdir(folder);
  try {
    const code = await dispatch(args, output);
    return { code, stdout, stderr };
  } finally {
    process.chdir(before);
  }
}

/** A module that exports kinds, by the names of their exports. */
export function moduleOf(kinds: Readonly<Record<string, string>>): string {
  return [
    `import { defineResource } from ${JSON.stringify(defining)};`,
    `import { z } from 'zod';`,
    ...Object.entries(kinds).map(
      ([name, kind]) =>
        `export const ${name} = defineResource({ group: 'example.com', version: 'v1', kind: '${kind}', spec: z.object({ on: z.enum(['on', 'off']) }) });`,
    ),
  ].join('\n');
}
