import { describe, expect, test } from '@jest/globals';
import { configMaps, parseFeatureGates, type ConfigMap } from '@holdfast/core';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { WritingClient } from '../../src/client/verbs.ts';
import { composeApp, type WatchedOptions } from '../../src/process/app.ts';
import { objectController } from '../../src/process/object-controller.ts';

/** Composes a controller of ConfigMaps that are followed like this. Nothing is sent. */
function compose(how: WatchedOptions<ConfigMap>, hasFinalizer = true): void {
  // Nothing runs, and nothing is sent.
  const client = {} as WritingClient;
  composeApp(
    {
      ...{ name: 'operator', client, logger: pino({ level: 'silent' }), registry: new Registry() },
      events: { record: () => undefined, run: () => Promise.resolve() },
      gates: parseFeatureGates({}, ''),
      ...{ namespaces: [], concurrentSyncs: 2 },
    },
    (app) => {
      const maps = app.watch(configMaps, how);
      const finalizer = { name: 'example.com/map', cleanup: () => Promise.resolve(true) };
      objectController(
        { ...app, client },
        { for: maps, ...(hasFinalizer ? { finalizer } : {}), reconcile: () => Promise.resolve(undefined) },
      );
    },
  );
}

describe('controller with a finalizer, kind followed', () => {
  test.each<WatchedOptions<ConfigMap>>([
    { labelSelector: 'example.com/map' },
    { fieldSelector: 'status.phase=Running' },
    { fieldSelector: 'spec.metadata.name=a' },
    { fieldSelector: 'metadata.names=a' },
    { labelSelector: ' ', fieldSelector: 'status.phase=Running' },
    { fieldSelector: 'metadata.name=a,status.phase!=Failed' },
    { labelSelector: 'a=b', fieldSelector: 'metadata.name=a' },
  ])('by $labelSelector, $fieldSelector -> refused: what stops matching would keep it', (how) => {
    const { labelSelector, fieldSelector } = how;
    const selector =
      labelSelector === undefined || labelSelector === ' '
        ? `fieldSelector "${String(fieldSelector)}"`
        : `labelSelector "${labelSelector}"`;
    expect(() => compose(how)).toThrow(
      `configmaps are followed with ${selector}, and a ConfigMap that stops matching it would keep finalizer example.com/map for ever: follow all of them, and say in \`concerns\` which of them the controller is for`,
    );
    expect(() => compose(how, false)).not.toThrow();
  });

  test.each<WatchedOptions<ConfigMap>>([
    {},
    { labelSelector: '' },
    { labelSelector: ' ' },
    { fieldSelector: ' metadata.name = a, ' },
    { fieldSelector: 'metadata.name=a' },
    { fieldSelector: 'metadata.namespace!=a,metadata.name==b' },
  ])('%j, so that none can stop matching -> taken', (how) => {
    expect(() => compose(how)).not.toThrow();
  });
});
