import { join } from 'node:path';
import { prometheusProbe, type Operator, type OperatorOutput } from '@holdfast/testing/perturbation';

const root = join(import.meta.dirname, '..', '..', '..');

/** A handover takes this long. On a busy machine a shorter lease would be lost again and again. */
const shortLease = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=300ms',
  '--leader-elect-resource-namespace=kube-system',
];

/**
 * A controller of ours as it is shipped.
 *
 * @param app folder below `apps/`
 * @param args flags in addition to those that every app gets here
 * @param bundle default: that of the app
 */
export function appOperator(
  app: string,
  args: readonly string[] = [],
  bundle = join(root, 'apps', app, 'dist', 'main.js'),
): Operator {
  return {
    name: app,
    commandLine: ({ kubeconfig, elects }) => ({
      file: process.execPath,
      args: [
        bundle,
        `--kubeconfig=${kubeconfig}`,
        '--insecure-http',
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=127.0.0.1:0',
        ...(elects ? shortLease : ['--leader-elect=false']),
        ...args,
      ],
      env: { HOME: '/nonexistent' },
    }),
    probe: prometheusProbe(({ stderr }) => {
      const metrics = addressOf('metrics', stderr);
      const health = addressOf('health-probe', stderr);
      return metrics === undefined || health === undefined
        ? undefined
        : { metrics: `http://${metrics}/metrics`, ready: `http://${health}/readyz` };
    }),
  };
}

function addressOf(purpose: string, log: OperatorOutput['stderr']): string | undefined {
  return new RegExp(`"purpose":"${purpose}","address":"([^"]+)"`).exec(log)?.[1];
}
