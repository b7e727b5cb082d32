import type { FeatureGateSpecs } from '@holdfast/core';
import { objectName, type ProgramOrName } from '../identity/program-identity.ts';
import {
  bindAddressFlag,
  choiceFlag,
  durationFlag,
  featureGatesFlag,
  namesFlag,
  numberFlag,
  optionalTextFlag,
  switchFlag,
  textFlag,
  type FlagValues,
} from './flags.ts';

/**
 * Creates the flags that every app has, spelled as in Kubernetes' own components.
 *
 * @param program names the default lease.
 */
export function runtimeFlags<Name extends string>(program: ProgramOrName, gates: FeatureGateSpecs<Name>) {
  return {
    kubeconfig: optionalTextFlag({
      description: 'Path of the kubeconfig file. Default: $KUBECONFIG, else in-cluster, else ~/.kube/config.',
      placeholder: 'PATH',
    }),
    context: optionalTextFlag({
      description: 'Context of the kubeconfig to use. Default: its current one.',
      placeholder: 'NAME',
    }),
    insecureHttp: switchFlag({
      description:
        'Send credentials to an API server whose URL is plain http. Everyone on the network path can read them.',
      default: 'false',
    }),
    namespaces: namesFlag({
      description: 'Work only on objects in these namespaces. Default: all namespaces.',
      placeholder: 'a,b',
    }),
    featureGates: featureGatesFlag(gates),
    dryRun: switchFlag({
      description:
        'Have the API server check every write without storing it, and log what the program would do.',
      default: 'false',
    }),
    uninstall: switchFlag({
      description:
        'Remove everything that this program has put on objects in the cluster, and exit. Scale its Deployment to zero first.',
      default: 'false',
    }),
    leaderElect: switchFlag({
      description: 'Work only while holding the lease. Needed to run several replicas.',
      default: 'true',
    }),
    leaderElectLeaseDuration: durationFlag({
      description: 'How long other replicas wait before they take a lease that is not renewed.',
      placeholder: 'DURATION',
      default: '15s',
    }),
    leaderElectRenewDeadline: durationFlag({
      description: 'How long the leader tries to renew the lease before it gives up.',
      placeholder: 'DURATION',
      default: '10s',
    }),
    leaderElectRetryPeriod: durationFlag({
      description: 'Time between two attempts to take or renew the lease.',
      placeholder: 'DURATION',
      default: '2s',
    }),
    leaderElectResourceName: textFlag({
      description: 'Name of the Lease.',
      placeholder: 'NAME',
      default: objectName(program),
    }),
    leaderElectResourceNamespace: optionalTextFlag({
      description: 'Namespace of the Lease. Default: the namespace of the pod, else kube-system.',
      placeholder: 'NAME',
    }),
    metricsBindAddress: bindAddressFlag({
      description:
        'Address for /metrics, /flagz and /statusz; 0 turns them off, host:0 picks a free port and logs it.',
      placeholder: 'ADDR',
      default: ':8080',
    }),
    metricsSecure: switchFlag({
      description:
        'Serve /metrics, /flagz and /statusz over TLS with a self-made certificate, and only to clients that the API server allows to get the path.',
      default: 'false',
    }),
    healthProbeBindAddress: bindAddressFlag({
      description: 'Address for /healthz, /livez and /readyz; 0 turns them off.',
      placeholder: 'ADDR',
      default: ':8081',
    }),
    concurrentSyncs: numberFlag(
      {
        description:
          'Number of objects that are processed concurrently. For namespaced objects: per namespace, and twice as many in total.',
        placeholder: 'N',
        default: '10',
      },
      // Each worker is created at the start, and a billion of them would exceed the memory.
      { min: 1, max: 1_000, integer: true },
    ),
    kubeApiQps: numberFlag(
      {
        description: 'Maximum requests per second to the API server, not counting watches; -1 sets no limit.',
        placeholder: 'N',
        default: '100',
      },
      { min: -1, integer: false },
    ),
    kubeApiBurst: numberFlag(
      {
        description: 'Maximum burst of requests to the API server, above --kube-api-qps.',
        placeholder: 'N',
        default: '200',
      },
      { min: 1, integer: true },
    ),
    logLevel: choiceFlag(
      {
        description: 'Lowest level that is logged: trace, debug, info, warn, error.',
        placeholder: 'LEVEL',
        default: 'info',
      },
      ['trace', 'debug', 'info', 'warn', 'error'],
    ),
    logFormat: choiceFlag(
      { description: 'Format of the log: json or pretty.', placeholder: 'FORMAT', default: 'json' },
      ['json', 'pretty'],
    ),
  };
}

/** The runtime's own flags, whatever feature gates the app has. */
export type RuntimeFlags = ReturnType<typeof runtimeFlags<string>>;

/** The values of the runtime's own flags. */
export type RuntimeConfig<Name extends string = string> = FlagValues<ReturnType<typeof runtimeFlags<Name>>>;

/**
 * Checks the flags together: the three durations of leader election must leave room for each other, as
 * client-go requires.
 *
 * @returns what is wrong, or undefined.
 */
export function checkRuntimeConfig(config: RuntimeConfig): string | undefined {
  const {
    leaderElectLeaseDuration: lease,
    leaderElectRenewDeadline: renew,
    leaderElectRetryPeriod: period,
  } = config;
  if (!config.leaderElect) {
    return undefined;
  }
  if (lease <= renew) {
    return `--leader-elect-lease-duration (${String(lease / 1000)}s) must be longer than --leader-elect-renew-deadline (${String(renew / 1000)}s)`;
  }
  if (renew <= period * 1.2) {
    return `--leader-elect-renew-deadline (${String(renew / 1000)}s) must be longer than 1.2 times --leader-elect-retry-period (${String(period / 1000)}s)`;
  }
  return undefined;
}
