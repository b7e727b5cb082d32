import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./fixtures/holdfast.ts', import.meta.url));
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
  run(...args: readonly string[]): Promise<Ended>;
  /** Begins a run, for who wants to send it a signal. */
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
    run: (...args) => start(...args).ended,
    start,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A module that exports kinds, by the names of their exports. */
export function moduleOf(kinds: Readonly<Record<string, string>>): string {
  return [
    `import { defineResource } from '@holdfast/core/custom-resource';`,
    `import { z } from 'zod';`,
    ...Object.entries(kinds).map(
      ([name, kind]) =>
        `export const ${name} = defineResource({ group: 'example.com', version: 'v1', kind: '${kind}', spec: z.object({ on: z.enum(['on', 'off']) }) });`,
    ),
  ].join('\n');
}
