#!/usr/bin/env node
import { runApp } from '@holdfast/runtime';
import { command, siteOperator, webhooks } from './site.ts';

await runApp(command, siteOperator, { webhooks });
