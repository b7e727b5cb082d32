import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chart, helm } from '../helm.ts';
import { leaving, type Place, type State } from './form.ts';
import { tellLife } from './life.ts';

tellLife({
  form: 'helm',
  missing: helm.found ? undefined : helm.reason,
  apply: (place, state) => upgrade(place, valuesOf(state)),
  rollBack: (place) => runHelm(place, ['rollback', 'storage', '1']),
  ofDriver: '-example',
  hasGate: true,
  surplus: [],
  leave: async (place, run) => {
    await upgrade(place, valuesOf('older', true));
    for (const app of leaving) {
      await run(app, app === 'statefulset-pvc-retention' ? app : `${app}-uninstall`);
    }
  },
  remove: async (place) => {
    await runHelm(place, ['uninstall', 'storage', '--wait', '--timeout=1m']);
    await place.kubectl(['delete', 'namespace', place.namespace]);
  },
});

function valuesOf(state: State, leave = false): object {
  return {
    image: { tag: state === 'older' ? '0.0.9' : '0.1.0' },
    pvcProtection: {
      leave,
      gates: state === 'older' ? {} : { ClaimUnusedCondition: state === 'newer' },
    },
    statefulsetPvcRetention: { leave },
    pvReclaimHonor: {
      leave,
      drivers: [{ name: 'example', sidecar: { container: { image: 'example.com/csi-driver:latest' } } }],
    },
  };
}

function upgrade(place: Place, values: object): Promise<void> {
  const args = ['upgrade', '--install', 'storage', chart, '--create-namespace', '--values=-'];
  return runHelm(place, args, JSON.stringify(values));
}

async function runHelm(
  { namespace, folder, kubeconfig }: Place,
  args: readonly string[],
  input = '',
): Promise<void> {
  if (!helm.found) {
    throw new Error(helm.reason);
  }
  const running = promisify(execFile)(helm.path, [...args, `--namespace=${namespace}`], {
    env: { HOME: folder, PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
  });
  running.child.stdin?.end(input);
  await running;
}
