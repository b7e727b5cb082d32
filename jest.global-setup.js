import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';

/**
 * Tests of a whole process run what is shipped: the bundle, made anew from the sources. An app that can't be bundled fails its
 * own tests, which then find no bundle, and nobody else's. Whoever names paths waits only for the apps that they need.
 */
export default function bundleApps({ nonFlagArgs }) {
  for (const app of readdirSync(new URL('apps/', import.meta.url))) {
    const folder = `apps/${app}`;
    const wanted =
      nonFlagArgs.length === 0 ||
      nonFlagArgs.some(
        (path) =>
          path.includes(folder) || folder.startsWith(path.replace(/\/$/, '')) || path.includes('tools/demo'),
      );
    if (!wanted || !existsSync(new URL(`${folder}/src/main.ts`, import.meta.url))) {
      continue;
    }
    try {
      execFileSync(process.execPath, ['tools/bundle/src/main.ts', folder], { cwd: import.meta.dirname });
    } catch {
      rmSync(new URL(`${folder}/dist/main.js`, import.meta.url), { force: true });
    }
  }
}
