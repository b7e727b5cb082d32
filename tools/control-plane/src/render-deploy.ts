import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinaries } from '@holdfast/testing/binaries';
import {
  renderChartFiles,
  renderChartFlags,
  renderInstallations,
  renderPrometheusRules,
} from './rendered-manifests.ts';

/*
 * Writes the files of deploy/ that are generated: the one-file installations, the alerts for the Prometheus
 * operator, and the chart's copies from the kustomize bases and from the apps' command lines.
 *
 *     npm run deploy:render
 *
 * Exit codes: 0 written; 3 there is no kubectl, which `npm run control-plane` provides.
 */

const root = join(import.meta.dirname, '..', '..', '..');
const deploy = join(root, 'deploy');
const found = findBinaries({ needed: ['kubectl'] });
if (found.found) {
  const rendered = [
    ...(await renderInstallations(deploy, join(found.folder, 'kubectl'))),
    ...(await renderPrometheusRules(deploy)),
    ...(await renderChartFiles(deploy)),
    ...(await renderChartFlags(root)),
  ];
  for (const { path, text } of rendered) {
    await mkdir(dirname(join(deploy, path)), { recursive: true });
    await writeFile(join(deploy, path), text);
    process.stdout.write(`deploy/${path}\n`);
  }
} else {
  process.stderr.write(`render-deploy: ${found.reason}\n`);
  process.exitCode = 3;
}
