import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

export default function setUp({ nonFlagArgs }) {
  // Processes that tests start compile what the one before them compiled.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('node_modules/.cache/holdfast-compiled', import.meta.url),
  );
  // With `-i`, and with a single file, the tests run in this process.
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // For the workers, which are started with the same flags. With V8's 16 MiB a twentieth of a run's CPU time goes into collecting what
  // is new: servers, clients and caches are all in one process here, and none of them is to be small.
  process.execArgv.push('--max-semi-space-size=64');
  // And leave out what nobody needs, see there.
  const lean = new URL('tools/ci/processes/lean.js', import.meta.url);
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${lean.href}`].filter(Boolean).join(' ');
  bundleWhatIsShipped(nonFlagArgs);
}

/**
 * Tests of a whole process run what is shipped: the bundle, made anew where its sources have changed. What can't be
 * bundled fails its own tests, which then find no bundle, and nobody else's. Who names paths waits only for the bundles that they
 * need.
 */
function bundleWhatIsShipped(paths) {
  const folders = readdirSync(new URL('apps/', import.meta.url))
    .map((app) => `apps/${app}`)
    .concat('tools/kubectl-holdfast')
    .filter((folder) => existsSync(new URL(`${folder}/src/main.ts`, import.meta.url)))
    .filter(
      (folder) =>
        paths.length === 0 ||
        paths.some(
          (path) =>
            path.includes(folder) ||
            folder.startsWith(path.replace(/\/$/, '')) ||
            path.includes('tools/demo') ||
            path.includes('tools/perturb') ||
            path.includes('stranger') ||
            path.includes('tools/scenario'),
        ),
    );
  if (folders.length > 0) {
    spawnSync(process.execPath, ['tools/bundle/src/main.ts', '--if-changed', ...folders], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}
