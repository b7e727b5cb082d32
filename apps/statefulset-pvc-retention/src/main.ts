#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { runApp } from '@holdfast/runtime';
import { command } from './config.ts';
import { statefulSetPvcRetention } from './controller.ts';
import { uninstallSteps } from './uninstall.ts';

await runApp(command, (app) => statefulSetPvcRetention(app, { ...app.config, tenure: app.tenure }), {
  uninstall: ({ config }) => uninstallSteps(config.workloads),
});
