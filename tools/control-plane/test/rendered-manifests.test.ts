import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { renderPrometheusRules, type RenderedManifest } from '../src/rendered-manifests.ts';

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
});
