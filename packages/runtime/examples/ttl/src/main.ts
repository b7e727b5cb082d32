#!/usr/bin/env node
import { runApp } from '@holdfast/runtime';
import { command, ttl } from './ttl.ts';

await runApp(command, ttl);
