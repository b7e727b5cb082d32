import type { FeatureGates } from '@holdfast/core';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { identityOf, metricsPrefix, type ProgramOrName } from '../identity/program-identity.ts';
import { droppedLines } from '../logging/standard-error.ts';

/**
 * Creates a registry that already holds the metrics of the process itself: Node's own, the build, the feature
 * gates, and the number of lines that were not logged.
 */
export function createMetricsRegistry(
  program: ProgramOrName,
  version: string,
  gates: FeatureGates,
): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  new Gauge({
    name: `${metricsPrefix(program)}build_info`,
    help: 'A constant 1, labelled with the app and its version.',
    labelNames: ['app', 'version'],
    registers: [registry],
  }).set({ app: identityOf(program).name, version }, 1);
  let counted = 0;
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines that could not be logged, because nobody read standard error or the disk was full.',
    registers: [registry],
    collect() {
      this.inc(droppedLines() - counted);
      counted = droppedLines();
    },
  });
  const features = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature gate is on (1) or off (0), by its stage.',
    labelNames: ['name', 'stage'],
    registers: [registry],
  });
  for (const gate of gates.all()) {
    // Upstream writes stages in capitals, and GA as an empty stage.
    const stage = gate.stage === 'GA' ? '' : gate.stage.toUpperCase();
    features.set({ name: gate.name, stage }, gate.enabled ? 1 : 0);
  }
  return registry;
}
