export { startApp, type AppProcess } from './app-process.ts';
export { eventually } from './eventually.ts';
export {
  openStage,
  type AppSurroundings,
  type Stage,
  type StagedApp,
  type StagedController,
} from './stage.ts';
export {
  makeNamespace,
  makeServiceAccount,
  type PolicyRule,
  type ServiceAccountOptions,
} from './service-account.ts';
