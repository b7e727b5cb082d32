import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import setUp from './jest.global-setup.js';

/**
 * Sets up as for `npm test`, and compiles the packages. Several test files pack the packages at the same time; if each
 * compiled them, one would replace files that another is reading. Types are not checked here: `npm run typecheck` does
 * that.
 */
export default function setUpThoroughly(globalConfig) {
  setUp(globalConfig);
  const projects = readdirSync(new URL('packages/', import.meta.url)).map(
    (name) => `packages/${name}/tsconfig.lib.json`,
  );
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript-7/bin/tsc', '--build', '--noCheck', ...projects],
    { cwd: import.meta.dirname, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) {
    throw new Error(`the packages can't be compiled: tsc --build exited with code ${status}`);
  }
}
