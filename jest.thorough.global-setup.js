import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import setUp from './jest.global-setup.js';

/**
 * As for `npm test`, and the packages are compiled: several files pack them, side by side, and one that compiled would take away what another is reading. Their
 * types are not checked: `npm run typecheck` does that.
 */
export default function setUpThoroughly(globalConfig) {
  setUp(globalConfig);
  const projects = readdirSync(new URL('packages/', import.meta.url)).map(
    (name) => `packages/${name}/tsconfig.lib.json`,
  );
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--build', '--noCheck', ...projects],
    { cwd: import.meta.dirname, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) {
    throw new Error(`the packages can not be compiled: tsc --build ended with ${status}`);
  }
}
