import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderPrometheusRules } from './rendered-manifests.ts';

/*
 * Writes the files of deploy/ that are made from others: the alerts for the Prometheus operator.
 *
 *     node --conditions=@holdfast/source tools/control-plane/src/render-deploy.ts
 */

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy');
for (const { path, text } of await renderPrometheusRules(deploy)) {
  await writeFile(join(deploy, path), text);
  process.stdout.write(`deploy/${path}\n`);
}
