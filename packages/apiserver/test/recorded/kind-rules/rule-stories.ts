import * as apiServices from './api-services.ts';
import * as batch from './batch.ts';
import * as certificates from './certificates.ts';
import * as dynamicResources from './dynamic-resources.ts';
import * as flowControl from './flow-control.ts';
import * as networking from './networking.ts';
import * as nodes from './nodes.ts';
import * as policies from './policies.ts';
import type { RuleStory } from './rule-story.ts';
import * as services from './services.ts';
import * as workloads from './workloads.ts';

/** By what is shown of them. */
export const ruleStories: Readonly<Record<string, RuleStory>> = {
  ...workloads,
  ...batch,
  ...services,
  ...networking,
  ...policies,
  ...nodes,
  ...flowControl,
  ...apiServices,
  ...certificates,
  ...dynamicResources,
};
