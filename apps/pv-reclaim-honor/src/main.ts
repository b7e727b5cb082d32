#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { threads } from './thread-pool.ts';
import { runApp } from '@holdfast/runtime';
import { command } from './config.ts';
import { pvReclaimHonor } from './controller.ts';
import { uninstallSteps } from './uninstall.ts';

await runApp(
  command,
  (app) => {
    const { config, tenure } = app;
    const { csiAddress: csiAddresses = [], migratedPlugins = [] } = config;
    pvReclaimHonor(app, { ...config, csiAddresses, migratedPlugins, tenure, threads });
  },
  { uninstall: ({ config }) => uninstallSteps(config) },
);
