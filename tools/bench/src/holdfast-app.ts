import { execFile } from 'node:child_process';
import { copyFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Program } from './program.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * Copies the bundle of an app, as users run it, to the folder. It is built first if it is missing or out of
 * date. It is copied so that a build during the race does not change the contestant.
 *
 * @throws if the build fails, with its output
 */
export async function copyBundle(app: string, folder: string, say: (line: string) => void): Promise<string> {
  const bundle = join(root, 'apps', app, 'dist', 'main.js');
  if ((await lastChange(bundle)) <= (await lastChange(...sourcesOf(app)))) {
    say(`building apps/${app}`);
    await promisify(execFile)(process.execPath, ['tools/bundle/src/main.ts', `apps/${app}`], { cwd: root });
  }
  // The extension marks it as an ES module. Without package.json next to it, Node would otherwise have to
  // parse it twice to find that out.
  const copy = join(folder, `${app}.mjs`);
  await copyFile(bundle, copy);
  return copy;
}

function sourcesOf(app: string): readonly string[] {
  return [
    `apps/${app}/src`,
    `apps/${app}/package.json`,
    'packages/core/src',
    'packages/runtime/src',
    'tools/bundle/src',
    'package-lock.json',
  ].map((path) => join(root, path));
}

/** When a file, or any file in a folder, was last written, in milliseconds since 1970; 0 if there is none. */
async function lastChange(...paths: readonly string[]): Promise<number> {
  const changes = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory() !== true) {
        return found?.mtimeMs ?? 0;
      }
      return lastChange(...(await readdir(path)).map((entry) => join(path, entry)));
    }),
  );
  return Math.max(0, ...changes);
}

/** @param bundle absolute path of the app's single file */
export function holdfastApp(bundle: string, kubeconfigFile: string, flags: readonly string[]): Program {
  return {
    command: process.execPath,
    args: [
      bundle,
      `--kubeconfig=${kubeconfigFile}`,
      '--leader-elect=false',
      '--kube-api-qps=-1',
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      ...flags,
    ],
  };
}
