import { join } from 'node:path';
import { runAgain } from './run-again.ts';

/*
 * Runs tests as CI does: `node tools/ci/src/again.ts REPORT COMMAND...`. The command takes jest's arguments
 * and writes its report to REPORT.
 */

const root = join(import.meta.dirname, '../../..');
const [report, ...command] = process.argv.slice(2);
if (report === undefined || command.length === 0) {
  process.stderr.write('usage: node tools/ci/src/again.ts REPORT COMMAND...\n');
  process.exitCode = 2;
} else {
  process.exitCode = await runAgain(join(root, report), command, (line) => process.stdout.write(`${line}\n`));
}
