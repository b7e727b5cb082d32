import '../node-version.ts';

export { testOperator } from './test-operator.ts';
export type { TestControlPlaneOptions, TestOperator, TestOperatorOptions } from './test-operator.ts';
export type { LogLine } from './kept-log.ts';
export type { WebhookConfigurationDraft, WebhookDraft } from './wired-webhooks.ts';
