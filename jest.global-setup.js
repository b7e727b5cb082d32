import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

export default function setUp({ nonFlagArgs }) {
  // Processes that tests start reuse the code that earlier ones compiled.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('node_modules/.cache/holdfast-compiled', import.meta.url),
  );
  // With `-i`, and with a single file, the tests run in this process.
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // Jest starts its workers with the same flags. With V8's default of 16 MiB, a twentieth of a run's CPU time goes into
  // collecting the young generation, because a test's servers, clients and caches are all in one process. Their memory
  // need not be small here.
  process.execArgv.push('--max-semi-space-size=64');
  // Tests and their processes leave out modules that they do not need: lean.js says which.
  const lean = new URL('tools/ci/processes/lean.js', import.meta.url);
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${lean.href}`].filter(Boolean).join(' ');
  bundleWhatIsShipped(nonFlagArgs);
}

/**
 * Tests of a whole process run the bundle that is shipped, so every bundle whose sources have changed is built first. A
 * bundle that can't be built fails only the tests that need it. When jest is given paths, only the bundles that tests
 * below these paths need are built.
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
            path.includes('stranger') ||
            ['tools/demo', 'tools/perturb', 'tools/scenario'].some(
              (user) => path.includes(user) || user.startsWith(path.replace(/\/$/, '')),
            ),
        ),
    );
  if (folders.length > 0) {
    spawnSync(process.execPath, ['tools/bundle/src/main.ts', '--if-changed', ...folders], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}
