import type { Operator, Scenario } from '@holdfast/testing/perturbation';
import { appOperator } from './app-operator.ts';
import { scenarios as pvReclaimHonor } from './scenarios/pv-reclaim-honor.ts';
import { scenarios as pvcProtection } from './scenarios/pvc-protection.ts';
import { scenarios as retroactiveDefaultSc } from './scenarios/retroactive-default-sc.ts';
import { scenarios as statefulSetPvcRetention } from './scenarios/statefulset-pvc-retention.ts';

/** A controller of ours with its scenarios. */
export interface PerturbedApp {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  /** @param bundle used in place of the app's own */
  operator(bundle: string | undefined): Operator;
}

function app(name: string, scenarios: readonly Scenario[], ...args: readonly string[]): PerturbedApp {
  return { name, scenarios, operator: (bundle) => appOperator(name, args, bundle) };
}

export const apps: readonly PerturbedApp[] = [
  app('pvc-protection', pvcProtection),
  // The stand-in for the stock controller retains nothing, so there is nothing to wait for.
  app('statefulset-pvc-retention', statefulSetPvcRetention, '--yield-to-stock-controller=false'),
  app('retroactive-default-sc', retroactiveDefaultSc),
  app('pv-reclaim-honor', pvReclaimHonor),
];

/**
 * @throws if there is no such app, or no such scenario of it; the names come from a command line that was
 *   validated
 */
export function findScenario(appName: string, scenarioName: string): [PerturbedApp, Scenario] {
  const found = apps.find(({ name }) => name === appName);
  const scenario = found?.scenarios.find(({ name }) => name === scenarioName);
  if (found === undefined || scenario === undefined) {
    throw new Error(`no scenario ${scenarioName} of ${appName}`);
  }
  return [found, scenario];
}
