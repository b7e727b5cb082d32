import { appNames } from '../four-apps.ts';
import { writeOverlay } from '../kustomize.ts';
import { leaving, removeJobs, runUninstallJob, type Place, type RunJob, type State } from './form.ts';
import { tellLife } from './life.ts';

tellLife({
  form: 'kustomize',
  apply: async (place, state) => {
    await place.kubectl(['apply', '--validate=strict', '-k', await overlayOf(place, state)]);
  },
  ofDriver: '',
  hasGate: true,
  surplus: ['clusterrole', 'clusterrolebinding'].map((kind) => `${kind}/holdfast-pvc-protection-condition`),
  leave: leaveByKustomize,
  remove: async (place) => {
    await removeJobs(place, leaving);
    await place.kubectl(['delete', '--ignore-not-found', '-k', await overlayOf(place, 'older')]);
  },
});

/** docs/leave.md, for what is installed by `kubectl apply`. */
async function leaveByKustomize({ namespace, folder, kubectl }: Place, run: RunJob): Promise<void> {
  await kubectl([
    ...['delete', 'mutatingwebhookconfiguration,validatingwebhookconfiguration', 'holdfast-pvc-protection'],
    '--ignore-not-found',
  ]);
  for (const app of appNames) {
    await kubectl(['scale', 'deployment', app, `--namespace=${namespace}`, '--replicas=0']);
  }
  for (const app of leaving) {
    await runUninstallJob({ namespace, folder, kubectl }, app, run);
  }
}

function overlayOf({ namespace, folder }: Place, state: State): Promise<string> {
  return writeOverlay(folder, {
    namespace,
    resources: ['all'],
    components: state === 'older' ? [] : ['pvc-protection/claim-unused-condition'],
    images: appNames.map((app) => ({
      name: `holdfast/${app}`,
      newTag: state === 'older' ? '0.0.9' : '0.1.0',
    })),
    patches:
      state === 'newer, gate off'
        ? [{ target: { kind: 'Deployment', name: 'pvc-protection' }, patch: gateOff }]
        : [],
  });
}

const gateOff = JSON.stringify([
  {
    op: 'add',
    path: '/spec/template/spec/containers/0/args/-',
    value: '--feature-gates=ClaimUnusedCondition=false',
  },
]);
