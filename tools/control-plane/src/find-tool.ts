import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { binaryPath, missingBinaries, type Environment } from '@holdfast/testing/binaries';
import { toolsCacheFolder } from './go-build.ts';
import { toolSetOf, type ToolName } from './tool-sets.ts';

export type FoundTool =
  | { readonly found: true; /** Absolute. */ readonly path: string }
  | {
      readonly found: false;
      /** What is missing, where it was looked for, and what to do. */ readonly reason: string;
    };

/** Looks for a program in the cache. Starts no build. */
export function findTool(name: ToolName, env: Environment = process.env): FoundTool {
  const set = toolSetOf(name);
  const link = join(toolsCacheFolder(env), set);
  const build = `npm run control-plane -- --tools ${set}`;
  let folder: string;
  try {
    // Resolved now: if a build replaces the link in the meantime, a run must go on with what it began with.
    folder = realpathSync(link);
  } catch {
    return { found: false, reason: `no ${name} at ${link}: build it with "${build}"` };
  }
  return missingBinaries(folder, [name]).length === 0
    ? { found: true, path: binaryPath(folder, name) }
    : { found: false, reason: `${folder} lacks ${name}: remove that folder and run "${build}"` };
}
