import { quoted } from '@holdfast/runtime';
import type { AppName } from '../cluster/release.ts';
import type { Answer, Part } from '../output/print.ts';
import type { Feature } from '../preflight/kubernetes-feature.ts';
import type { Left } from '../uninstall/carry-out.ts';
import { jobName, onObjects, type Leaving } from '../uninstall/uninstall-plan.ts';
import type { UnseenProcess } from '../uninstall/unseen-processes.ts';

interface Planned {
  readonly leavings: readonly Leaving[];
  readonly unseen: readonly UnseenProcess[];
  /** The one that was looked at; undefined for all. */
  readonly namespace: string | undefined;
}

/** Reports what would be done, and what the cluster would then lack. */
export function uninstallReport(
  { leavings, unseen, namespace }: Planned,
  featureOf: (app: AppName) => Feature,
): Answer {
  const rows = leavings.map((leaving) => {
    const { app, namespace, deployment } = leaving;
    const feature = featureOf(app);
    return {
      ...{ app, namespace, deployment: deployment.metadata.name },
      steps: stepsOf(leaving),
      goes: onObjects[app] ?? "nothing: a class that was given is the claim's own",
      afterwards:
        feature.state === 'on'
          ? `Kubernetes does it: ${feature.because}`
          : feature.state === 'unknown'
            ? 'whether Kubernetes does it is not known'
            : `nothing does it: ${feature.because}`,
    };
  });
  return {
    code: 0,
    object: { kind: 'UninstallPlan', ...{ items: rows, unseen } },
    names: rows.map(({ app }) => `controller/${app}`),
    parts: [
      ...(rows.length === 0
        ? unseen.length === 0
          ? [noneDeployed(namespace)]
          : []
        : [
            {
              kind: 'table' as const,
              headings: ['NAMESPACE', 'DEPLOYMENT', 'STEPS', 'TAKEN BACK', 'AFTERWARDS'],
              rows: rows.map((row) => [
                ...[row.namespace, row.deployment, row.steps.join('; '), row.goes, row.afterwards],
              ]),
            },
          ]),
      ...unseenParts(unseen, 'is not uninstalled'),
    ],
  };
}

function noneDeployed(namespace: string | undefined): Part {
  const where = namespace === undefined ? '' : ` in namespace ${quoted(namespace)}`;
  return { kind: 'text', lines: [`No controller of Holdfast is deployed${where}.`] };
}

/** Nothing that is known of such a process would let the plugin stop it. */
function unseenParts(
  unseen: readonly UnseenProcess[],
  verb: 'is not uninstalled' | 'was not uninstalled',
): readonly Part[] {
  return unseen.length === 0
    ? []
    : [
        {
          kind: 'text',
          lines: unseen.map(
            ({ app, because }) => `${app} ${verb}: no deployment shows it, and ${because}. ${wayOutOf(app)}`,
          ),
        },
      ];
}

/** The Job itself holds the lease while it runs, and with the chart nothing else is there by then. */
function wayOutOf(app: AppName): string {
  if (onObjects[app] === undefined) {
    return 'Stop it; nothing has to be taken back.';
  }
  const others =
    app === 'pv-reclaim-honor'
      ? ' But first stop every other pv-reclaim-honor as well, since the Job would take their finalizers off volumes whose storage is still to be deleted.'
      : '';
  return `If that is the Job of docs/leave.md, wait for its end. Otherwise stop it, such as a container in the pods of a CSI driver, and run the Job in the namespace of the lease.${others}`;
}

function stepsOf({ deployment, course }: Leaving): readonly string[] {
  return course.kind === 'byHand'
    ? [`by hand: ${course.why}: ${course.how}`]
    : [
        ...[...new Set(course.webhooks.map(({ ref }) => ref.name))].map(
          (name) => `delete its webhook configurations ${name}`,
        ),
        'scale to zero',
        ...(course.job === undefined ? [] : [`run job ${jobName(deployment)}`]),
        `then, by you: ${course.atLast}`,
      ];
}

/** Reports what happened to the controllers; the exit code is 1 if one was not uninstalled. */
export function leftReport(left: readonly Left[], unseen: readonly UnseenProcess[]): Answer {
  const looks = { left: 'good', byHand: 'faint', failed: 'bad' } as const;
  const rows = left.map(({ leaving: { app, namespace, deployment }, result, note }) => ({
    ...{ app, namespace, deployment: deployment.metadata.name, result, note },
  }));
  return {
    code: unseen.length === 0 && left.every(({ result }) => result === 'left') ? 0 : 1,
    object: { kind: 'UninstallResult', ...{ items: rows, unseen } },
    names: rows.filter(({ result }) => result === 'left').map(({ app }) => `controller/${app}`),
    parts: [
      {
        kind: 'table',
        headings: ['NAMESPACE', 'DEPLOYMENT', 'RESULT', 'NOTE'],
        rows: rows.map(({ namespace, deployment, result, note }) => [
          ...[namespace, deployment],
          { text: result === 'byHand' ? 'by hand' : result, look: looks[result] },
          note,
        ]),
      },
      ...unseenParts(unseen, 'was not uninstalled'),
    ],
  };
}
