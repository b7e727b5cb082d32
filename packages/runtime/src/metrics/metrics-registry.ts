import type { FeatureGates } from '@holdfast/core';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** A registry that already holds the metrics of the process itself: Node's own, the build, and the feature gates. */
export function createMetricsRegistry(app: string, version: string, gates: FeatureGates): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  new Gauge({
    name: 'holdfast_build_info',
    help: 'A constant 1, labelled with the app and its version.',
    labelNames: ['app', 'version'],
    registers: [registry],
  }).set({ app, version }, 1);
  const features = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature gate is on (1) or off (0), by its stage.',
    labelNames: ['name', 'stage'],
    registers: [registry],
  });
  for (const gate of gates.all()) {
    // Upstream spells the stages in capitals, and GA as no stage at all.
    const stage = gate.stage === 'GA' ? '' : gate.stage.toUpperCase();
    features.set({ name: gate.name, stage }, gate.enabled ? 1 : 0);
  }
  return registry;
}
