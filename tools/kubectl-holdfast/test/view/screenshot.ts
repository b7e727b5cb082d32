import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findChromium, howToGetIt, launch } from './chromium.ts';
import { explanationOf, servePage } from './page-under-test.ts';
import { story } from './seen.ts';

/*
 * `node --conditions=@holdfast/source tools/kubectl-holdfast/test/view/screenshot.ts` takes the picture of the README
 * anew.
 */
const file = join(import.meta.dirname, '../../docs/view.png');
const path = findChromium();
if (path === undefined) {
  process.stderr.write(`no picture: there is no browser; ${howToGetIt}\n`);
  process.exit(1);
}
const served = await servePage(story('2026-03-01T12:30:00Z'), () =>
  explanationOf(
    'Bound to pv-0, being deleted since 2026-03-01T11:00:00Z, held by finalizer kubernetes.io/pvc-protection',
  ),
);
const browser = await launch(path);
try {
  const page = await browser.newPage({
    viewport: { width: 2_000, height: 760 },
    ...(process.argv.includes('--dark') ? { colorScheme: 'dark' } : {}),
  });
  await page.goto(served.address);
  await page.locator('#drawing').getByRole('button', { name: 'claim data-web-0' }).click();
  await page.getByText('Bound to pv-0, being deleted').waitFor();
  mkdirSync(dirname(file), { recursive: true });
  await page.screenshot({ path: process.env['OUT'] ?? file });
} finally {
  await browser.close();
  await served.close();
}
process.stdout.write(`${file}\n`);
