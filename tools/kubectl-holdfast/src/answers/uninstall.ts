import { UsageError, type ConnectedClient } from '@holdfast/runtime';
import { readInstalled } from '../cluster/holdfast-at-work.ts';
import { readRelease, type AppName } from '../cluster/release.ts';
import { readServerGates } from '../cluster/server-gates.ts';
import type { Answer } from '../output/print.ts';
import { featureOf } from '../preflight/kubernetes-feature.ts';
import { leftReport, uninstallReport } from '../report/uninstall-report.ts';
import { appNames } from '../survey/controllers.ts';
import { carryOut, type CarryOutOptions } from '../uninstall/carry-out.ts';
import { leavingOf } from '../uninstall/uninstall-plan.ts';
import type { Confirm } from './confirm.ts';

/**
 * Has controllers take back what they have put on objects, and stops them.
 *
 * @param apps empty: all that are deployed.
 * @throws UsageError when one of these is not deployed, or Deployments may not be listed; what the client throws.
 */
export async function answerUninstall(
  client: ConnectedClient,
  apps: readonly AppName[],
  confirm: Confirm,
  options: Omit<CarryOutOptions, 'client'>,
): Promise<Answer> {
  const [release, serverGates, { deployed }] = await Promise.all([
    readRelease(client),
    readServerGates(client),
    readInstalled(client, appNames),
  ]);
  if (deployed === undefined) {
    throw new UsageError(
      'you may not list deployments, so that what is deployed is not known; see kubectl auth can-i list deployments -A',
    );
  }
  const leavings = deployed
    .map(leavingOf)
    .filter((each) => each !== undefined)
    .filter(({ app }) => apps.length === 0 || apps.includes(app));
  const missing = apps.find((app) => !leavings.some((each) => each.app === app));
  if (missing !== undefined) {
    throw new UsageError(`${missing} is not deployed; kubectl holdfast status says what is`);
  }
  const planned = uninstallReport(leavings, (app) => featureOf(app, release, serverGates));
  if (!leavings.some(({ course }) => course.kind === 'steps')) {
    return planned;
  }
  if (!(await confirm(planned, 'Uninstall'))) {
    return { ...planned, parts: [{ kind: 'text', lines: ['Nothing was written.'] }], code: 1 };
  }
  const left = [];
  for (const leaving of leavings) {
    left.push(await carryOut(leaving, { ...options, client }));
  }
  return leftReport(left);
}
