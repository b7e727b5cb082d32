import { readdirSync, readlinkSync } from 'node:fs';

/** What this process has open in a folder; empty where there is no procfs. */
export function openHandlesBelow(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(`${folder}/`) ? [path] : [];
    } catch {
      // The one by which the list was read.
      return [];
    }
  });
}
