import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/** Tests of a whole process run what is shipped: the bundle, made anew from the sources. */
export default function bundleApps() {
  for (const app of readdirSync(new URL('apps/', import.meta.url))) {
    execFileSync(process.execPath, ['tools/bundle/src/main.ts', `apps/${app}`], { cwd: import.meta.dirname });
  }
}
