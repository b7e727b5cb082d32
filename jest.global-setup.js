import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';

/**
 * Tests of a whole process run what is shipped: the bundle, made anew from the sources. An app that can't be bundled fails its
 * own tests, which then find no bundle, and nobody else's.
 */
export default function bundleApps() {
  for (const app of readdirSync(new URL('apps/', import.meta.url))) {
    if (!existsSync(new URL(`apps/${app}/src/main.ts`, import.meta.url))) {
      continue;
    }
    try {
      execFileSync(process.execPath, ['tools/bundle/src/main.ts', `apps/${app}`], {
        cwd: import.meta.dirname,
      });
    } catch {
      rmSync(new URL(`apps/${app}/dist/main.js`, import.meta.url), { force: true });
    }
  }
}
