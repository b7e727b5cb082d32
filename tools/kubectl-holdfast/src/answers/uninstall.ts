import { ApiError, quoted, UsageError, type ConnectedClient } from '@holdfast/runtime';
import { readDeployments } from '../cluster/holdfast-at-work.ts';
import { Unreadable } from '../cluster/not-found.ts';
import { readRelease, type AppName } from '../cluster/release.ts';
import { readServerGates } from '../cluster/server-gates.ts';
import type { Answer } from '../output/print.ts';
import { featureOf } from '../preflight/kubernetes-feature.ts';
import { leftReport, uninstallReport } from '../report/uninstall-report.ts';
import { carryOut, type CarryOutOptions, type Left } from '../uninstall/carry-out.ts';
import { leavingOf, unlessOthersRun, type Deployed, type Leaving } from '../uninstall/uninstall-plan.ts';
import { unseenProcesses } from '../uninstall/unseen-processes.ts';
import type { Confirm } from './confirm.ts';

/** Which controllers to uninstall. */
export interface UninstallRequest {
  /** Empty for all that are deployed. */
  readonly apps: readonly AppName[];
  /** The namespace of their Deployments; undefined for any. */
  readonly namespace: string | undefined;
}

/**
 * Makes controllers remove what they have put on objects, and stops them.
 *
 * @throws UsageError if one of these is not deployed; Unreadable if Deployments may not be listed; what the
 *   client throws
 */
export async function answerUninstall(
  client: ConnectedClient,
  { apps, namespace }: UninstallRequest,
  confirm: Confirm,
  options: Omit<CarryOutOptions, 'client' | 'look'>,
): Promise<Answer> {
  const [release, serverGates, deployed] = await Promise.all([
    readRelease(client),
    readServerGates(client),
    readDeployed(client, namespace),
  ]);
  const leavings = deployed.items
    .map(leavingOf)
    .filter((each) => each !== undefined)
    .filter(({ app }) => apps.length === 0 || apps.includes(app))
    .filter((each) => namespace === undefined || each.namespace === namespace)
    .map((each) => unlessOthersRun(each, deployed));
  const unseen = deployed.unseen
    .filter(({ app }) => apps.length === 0 || apps.includes(app))
    .filter((each) => namespace === undefined || each.namespace === namespace);
  const missing = apps.find((app) => ![...leavings, ...unseen].some((each) => each.app === app));
  if (missing !== undefined) {
    const where = namespace === undefined ? '' : ` in namespace ${quoted(namespace)}`;
    throw new UsageError(`${missing} is not deployed${where}; kubectl holdfast status says what is`);
  }
  const planned = uninstallReport({ leavings, unseen, namespace }, (app) =>
    featureOf(app, release, serverGates),
  );
  if (!leavings.some(({ course }) => course.kind === 'steps')) {
    return { ...planned, names: [], code: leavings.length + unseen.length === 0 ? 0 : 1 };
  }
  if (!(await confirm(planned, 'Uninstall'))) {
    return { ...planned, parts: [{ kind: 'text', lines: ['Nothing was written.'] }], code: 1 };
  }
  const look = async (leaving: Leaving): Promise<Leaving> =>
    unlessOthersRun(leaving, await readDeployed(client, namespace));
  return leftReport(await carryOutEach(leavings, { ...options, client, look }), unseen);
}

/** The administrator of one namespace may list only what is deployed there. */
async function readDeployed(client: ConnectedClient, namespace: string | undefined): Promise<Deployed> {
  const everywhere = await readDeployments(client);
  const isWhole = everywhere !== 'unread';
  const deployed =
    !isWhole && namespace !== undefined ? await readDeployments(client, namespace) : everywhere;
  if (deployed === 'unread') {
    throw new Unreadable(
      'you may not list deployments, so it is not known what is deployed; see kubectl auth can-i list deployments -A',
    );
  }
  const items = deployed ?? [];
  return { items, isWhole, unseen: await unseenProcesses(client, items) };
}

/**
 * Uninstalls one after the other. If the API server stops answering, or after Ctrl-C, the rest is not begun,
 * and what was done until then is still reported.
 */
async function carryOutEach(
  leavings: readonly Leaving[],
  options: CarryOutOptions,
): Promise<readonly Left[]> {
  const left: Left[] = [];
  let isOver = false;
  for (const leaving of leavings) {
    if (isOver) {
      left.push({ leaving, result: 'failed', note: 'not begun; run this again' });
      continue;
    }
    try {
      left.push(await carryOut(leaving, options));
    } catch (error) {
      left.push({ leaving, result: 'failed', note: error instanceof Error ? error.message : String(error) });
      isOver = options.signal.aborted || !(error instanceof ApiError);
    }
  }
  return left;
}
