import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findBinaries } from '@holdfast/testing';
import {
  renderChartFiles,
  renderChartFlags,
  renderInstallations,
  renderPrometheusRules,
  type RenderedManifest,
} from '../src/rendered-manifests.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const deploy = join(root, 'deploy');
const renewed = 'renewed by npm run deploy:render';

const expectUpToDate = (rendered: readonly RenderedManifest[]): void => {
  for (const { path, text } of rendered) {
    expect({ path, text: readFileSync(join(deploy, path), 'utf8') }).toEqual({ path, text });
  }
};

describe(`deploy/, ${renewed}`, () => {
  test('alerts changed -> the PrometheusRules of the operator have them', async () => {
    const rendered = await renderPrometheusRules(deploy);
    expect(rendered).toHaveLength(5);
    expectUpToDate(rendered);
  });

  test('roles, alerts, policies or dashboards changed -> the chart has them, and nothing else there', async () => {
    const rendered = await renderChartFiles(deploy);
    expect(rendered.length).toBeGreaterThan(20);
    expectUpToDate(rendered);
    const there = globSync('chart/holdfast/{files,dashboards}/**/*.{yaml,json}', { cwd: deploy });
    const others = ['chart/holdfast/files/duration-flags.yaml'];
    expect(there.toSorted()).toEqual([...rendered.map(({ path }) => path), ...others].toSorted());
  });

  test("flags or gates of an app changed -> the schema of the chart's values and its list of durations have it", async () => {
    expectUpToDate(await renderChartFlags(root));
  });

  const kubectl = findBinaries({ needed: ['kubectl'] });
  if (kubectl.found) {
    test('manifests changed -> the one-file installations have it', async () => {
      const rendered = await renderInstallations(deploy, join(kubectl.folder, 'kubectl'));
      expect(rendered).toHaveLength(6);
      expectUpToDate(rendered);
    });
  } else {
    test.skip(`one-file installations not compared: ${kubectl.reason}`, () => undefined);
  }
});
