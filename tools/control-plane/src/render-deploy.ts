import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries } from '@holdfast/testing';
import { renderInstallations, renderPrometheusRules } from './rendered-manifests.ts';

/*
 * Writes the files of deploy/ that are made from others: the one-file installations, and the alerts for the Prometheus operator.
 *
 *     node --conditions=@holdfast/source tools/control-plane/src/render-deploy.ts
 *
 * Exit codes: 0 written, 3 there is no kubectl; `npm run control-plane` gets one.
 */

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy');
const found = findBinaries({ needed: ['kubectl'] });
if (found.found) {
  const rendered = [
    ...(await renderInstallations(deploy, join(found.folder, 'kubectl'))),
    ...(await renderPrometheusRules(deploy)),
  ];
  for (const { path, text } of rendered) {
    await writeFile(join(deploy, path), text);
    process.stdout.write(`deploy/${path}\n`);
  }
} else {
  process.stderr.write(`render-deploy: ${found.reason}\n`);
  process.exitCode = 3;
}
