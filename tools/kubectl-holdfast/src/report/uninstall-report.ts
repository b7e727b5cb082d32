import type { AppName } from '../cluster/release.ts';
import type { Answer } from '../output/print.ts';
import type { Feature } from '../preflight/kubernetes-feature.ts';
import type { Left } from '../uninstall/carry-out.ts';
import { jobName, onObjects, type Leaving } from '../uninstall/uninstall-plan.ts';

/** Reports what would be done, and what the cluster would then lack. */
export function uninstallReport(leavings: readonly Leaving[], featureOf: (app: AppName) => Feature): Answer {
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
    object: { kind: 'UninstallPlan', ...{ items: rows } },
    names: rows.map(({ app }) => `controller/${app}`),
    parts:
      rows.length === 0
        ? [{ kind: 'text', lines: ['No controller of Holdfast is deployed.'] }]
        : [
            {
              kind: 'table',
              headings: ['NAMESPACE', 'DEPLOYMENT', 'STEPS', 'TAKEN BACK', 'AFTERWARDS'],
              rows: rows.map(({ namespace, deployment, steps, goes, afterwards }) => [
                ...[namespace, deployment, steps.join('; '), goes, afterwards],
              ]),
            },
          ],
  };
}

function stepsOf({ deployment, course }: Leaving): readonly string[] {
  return course.kind === 'byHand'
    ? [`by hand: ${course.why}: ${course.how}`]
    : [
        ...(course.webhooks.length > 0 ? ['delete its webhook configurations'] : []),
        'scale to zero',
        ...(course.job === undefined ? [] : [`run job ${jobName(deployment)}`]),
        `then, by you: ${course.atLast}`,
      ];
}

/** Reports what happened to the controllers; the exit code is 1 if one was not uninstalled. */
export function leftReport(left: readonly Left[]): Answer {
  const looks = { left: 'good', byHand: 'faint', failed: 'bad' } as const;
  const rows = left.map(({ leaving: { app, namespace, deployment }, result, note }) => ({
    ...{ app, namespace, deployment: deployment.metadata.name, result, note },
  }));
  return {
    code: left.every(({ result }) => result === 'left') ? 0 : 1,
    object: { kind: 'UninstallResult', ...{ items: rows } },
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
    ],
  };
}
