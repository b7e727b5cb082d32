#!/usr/bin/env node
import { runApp, uninstallFinalizer } from '@holdfast/runtime';
import { command, drain, siteOperator, sites, webhooks } from './site.ts';

await runApp(command, siteOperator, { webhooks, uninstall: () => [uninstallFinalizer(sites, drain)] });
