import { expect, test } from '@jest/globals';
import { parseFeatureGates, type FeatureGateSpec } from '@holdfast/core';
import { createMetricsRegistry } from '../../src/metrics/metrics-registry.ts';

function gate(stage: FeatureGateSpec['stage'], on: boolean): FeatureGateSpec {
  return { stage, default: on, since: 'v0.1', description: 'A gate of this test.' };
}

test('gates of every stage -> kubernetes_feature_enabled with the labels that component-base gives', async () => {
  const gates = parseFeatureGates(
    {
      New: gate('alpha', false),
      Tried: gate('beta', true),
      Stable: gate('GA', true),
      Old: gate('deprecated', false),
    },
    'New=true',
  );
  const text = await createMetricsRegistry('acme-sites', '1.2.3', gates).metrics();
  expect(text).toContain('kubernetes_feature_enabled{name="New",stage="ALPHA"} 1');
  expect(text).toContain('kubernetes_feature_enabled{name="Tried",stage="BETA"} 1');
  expect(text).toContain('kubernetes_feature_enabled{name="Stable",stage=""} 1');
  expect(text).toContain('kubernetes_feature_enabled{name="Old",stage="DEPRECATED"} 0');
  expect(text).toContain('acme_sites_build_info{app="acme-sites",version="1.2.3"} 1');
  expect(text).toContain('process_cpu_seconds_total');
});
