#!/usr/bin/env node
import '@holdfast/runtime/lean-heap';
import { configMaps } from '@holdfast/core';
import { appCommand, objectController, runApp } from '@holdfast/runtime';
import { checksumPatch, label } from './checksum.ts';

const version = '1.0.0';
const description = 'keeps a checksum of its data on every ConfigMap that wants one.';
const command = appCommand({ name: 'config-checksum', version, description, gates: {}, flags: {} });

await runApp(command, (app) => {
  objectController(app, {
    for: app.watch(configMaps, { labelSelector: `${label}=yes` }),
    reconcile: async ({ object, patch, log }) => {
      const checksum = checksumPatch(object);
      if (checksum !== undefined) {
        await patch(checksum);
        log.info('Checksum written');
      }
    },
  });
});
