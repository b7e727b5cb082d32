#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { connect, loadKubeConfig, runApp } from '@holdfast/runtime';
import { Registry } from 'prom-client';
import { command } from './config.ts';
import { retroactiveDefault } from './controller.ts';

await runApp(
  command,
  (app) =>
    retroactiveDefault(app, () =>
      connect({
        kubeConfig: () => loadKubeConfig(app.config),
        program: app.identity,
        version: app.version,
        registry: new Registry(),
        dryRun: true,
      }),
    ),
  // An assigned class belongs to the claim from then on, and nothing else is written.
  { uninstall: () => [] },
);
