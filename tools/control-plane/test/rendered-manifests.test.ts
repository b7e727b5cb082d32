import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findBinaries } from '@holdfast/testing';
import {
  renderInstallations,
  renderPrometheusRules,
  type RenderedManifest,
} from '../src/rendered-manifests.ts';

const deploy = join(import.meta.dirname, '..', '..', '..', 'deploy');
const renewed = 'renewed by node --conditions=@holdfast/source tools/control-plane/src/render-deploy.ts';

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
