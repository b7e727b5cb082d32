export { startApp, type AppProcess } from './app-process.ts';
export { testDeploy } from './deploy-suite.ts';
export { describeUnless } from './describe-unless.ts';
export { eventually } from './eventually.ts';
export { madeBy } from './fault-cases.ts';
export { useFaultScenes, type FaultScene } from './fault-scene.ts';
export { testFaultStories } from './fault-stories.ts';
export { useHangingWrites, type HangingWrites } from './hanging-writes.ts';
export { createPacedClock } from './paced-clock.ts';
export { letTimePass } from './passing-time.ts';
export { testProcess } from './process-suite.ts';
export {
  openStage,
  type AppSurroundings,
  type Stage,
  type StagedApp,
  type StagedController,
  type StartOptions,
} from './stage.ts';
export {
  kubeconfigOfAccount,
  makeNamespace,
  makeServiceAccount,
  type PolicyRule,
  type ServiceAccountOptions,
} from './service-account.ts';
export {
  bumpedVersions,
  bumpMissing,
  startPair,
  writeOldLease,
  type Pair,
  type PairOptions,
} from './restored-etcd.ts';
export { useSuiteStage } from './suite-stage.ts';
export { callWitness, type StageNotes, type StageWitness } from './stage-witness.ts';
