import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renderDashboards } from './rendered-dashboards.ts';

/*
 * Writes the Grafana dashboards, and the ConfigMaps that contain them, to deploy/monitoring.
 *
 *     npm run dashboards
 */

const root = join(import.meta.dirname, '..', '..', '..');
for (const { path, text } of renderDashboards()) {
  const file = join(root, 'deploy', 'monitoring', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`deploy/monitoring/${path}\n`);
}
