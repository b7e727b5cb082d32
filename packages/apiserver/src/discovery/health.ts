import type { Answer } from '../http/answer.ts';

/*
 * Health checks, with the names and the order of kube-apiserver 1.36, because kubeadm and Kubernetes' own
 * tests wait for single checks by name. What the real server prepares after its start exists here from the
 * beginning, so every check passes as soon as the server answers.
 */

const afterStart = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((hook) => `poststarthook/${hook}`);

const prepared = [
  ...afterStart,
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const alive = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...prepared];

const checks: Readonly<Record<string, readonly string[]>> = {
  healthz: alive,
  livez: alive,
  readyz: ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...prepared, 'shutdown'],
};

/**
 * Answers for the whole server, or for one check: `/readyz`, `/readyz/etcd`. With the parameter `verbose`,
 * whatever its value, the answer lists all checks, and marks those that `exclude` names as excluded.
 *
 * @returns undefined if the path is not that of a check
 */
export function answerHealth(path: string, query: URLSearchParams): Answer | undefined {
  const [, name = '', check] = /^\/([a-z]+)(?:\/(.*))?$/.exec(path) ?? [];
  const all = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (all === undefined || (check !== undefined && !all.includes(check))) {
    return undefined;
  }
  if (check !== undefined) {
    return { kind: 'text', code: 200, text: 'ok' };
  }
  const text = query.has('verbose') ? told(name, all, query.getAll('exclude')) : 'ok';
  return { kind: 'text', code: 200, text, isNotSniffed: true };
}

/** All paths that `answerHealth` answers. */
export function healthPaths(): readonly string[] {
  return Object.entries(checks).flatMap(([name, all]) => [
    `/${name}`,
    ...all.map((check) => `/${name}/${check}`),
  ]);
}

function told(name: string, all: readonly string[], excluded: readonly string[]): string {
  const unknown = [...new Set(excluded)].filter((each) => !all.includes(each)).sort();
  return [
    ...all.map((each) => `[+]${each} ${excluded.includes(each) ? 'excluded: ok' : 'ok'}\n`),
    ...(unknown.length === 0
      ? []
      : [
          `warn: some health checks cannot be excluded: no matches for ${unknown.map((each) => JSON.stringify(each)).join(',')}\n`,
        ]),
    `${name} check passed\n`,
  ].join('');
}
