import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleApp } from './bundle-app.ts';
import { isUpToDate, rememberWhatItWasMadeFrom } from './made-from.ts';

/**
 * `node tools/bundle/src/main.ts [--if-changed] apps/<app> ...`, in the root of the repository. If an app
 * cannot be bundled, it is left without a bundle, the other apps still get theirs, and the exit code is 1.
 */
const { values, positionals: apps } = parseArgs({
  allowPositionals: true,
  options: { 'if-changed': { type: 'boolean', default: false } },
});
if (apps.length === 0) {
  process.stderr.write('bundle: name the folders of the apps, for example apps/pvc-protection\n');
  process.exit(2);
}
await Promise.all(
  apps.map(async (app) => {
    if (values['if-changed'] && isUpToDate(app)) {
      return;
    }
    try {
      rememberWhatItWasMadeFrom(app, await bundleApp(app));
      process.stdout.write(`bundled ${basename(app)}\n`);
    } catch (error) {
      rmSync(join(app, 'dist/main.js'), { force: true });
      process.stderr.write(
        `bundle: ${basename(app)}: ${error instanceof Error ? error.message : String(error)}\n`,
      );
      process.exitCode = 1;
    }
  }),
);
