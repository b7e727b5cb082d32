import type { JsonObject } from '../../meta/json.ts';

/*
 * The priority levels and flow schemas of a new cluster: the mandatory and the suggested configuration of
 * kube-apiserver 1.36 (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap). The values are facts of that
 * release, written here in a form of our own.
 */

/** An object that the server creates, and that it may restore as long as its annotation allows that. */
export interface ConfiguredObject extends JsonObject {
  metadata: { name: string; annotations: { [name: string]: string } };
  spec: JsonObject;
}

/** Names of the mandatory configuration, which applies in every server even if its objects do not exist. */
export const exemptName = 'exempt';
export const catchAllName = 'catch-all';

const metadataOf = (name: string): ConfiguredObject['metadata'] => ({
  name,
  annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' },
});

interface Queues {
  readonly queues: number;
  readonly handSize: number;
}

function limited(
  name: string,
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues?: Queues,
): ConfiguredObject {
  const limitResponse: JsonObject =
    queues === undefined
      ? { type: 'Reject' }
      : { type: 'Queue', queuing: { ...queues, queueLengthLimit: 50 } };
  const limits = { nominalConcurrencyShares, limitResponse, lendablePercent };
  return { metadata: metadataOf(name), spec: { type: 'Limited', limited: limits } };
}

export const suggestedPriorityLevels: readonly ConfiguredObject[] = [
  {
    metadata: metadataOf(exemptName),
    spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  limited(catchAllName, 5, 0),
  limited('system', 30, 33, { queues: 64, handSize: 6 }),
  limited('node-high', 40, 25, { queues: 64, handSize: 6 }),
  limited('leader-election', 10, 0, { queues: 16, handSize: 4 }),
  limited('workload-high', 40, 50, { queues: 128, handSize: 6 }),
  limited('workload-low', 100, 90, { queues: 128, handSize: 6 }),
  limited('global-default', 20, 50, { queues: 128, handSize: 6 }),
];

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } });
const user = (name: string): JsonObject => ({ kind: 'User', user: { name } });
const everybody = [group('system:unauthenticated'), group('system:authenticated')];
const accountsOfSystem: JsonObject = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name: '*' },
};

const anyResource: JsonObject = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
const leases = (verbs: readonly string[]): JsonObject => ({
  verbs: [...verbs],
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
});
const anyPath: JsonObject = { verbs: ['*'], nonResourceURLs: ['*'] };
const all: JsonObject = { resourceRules: [anyResource], nonResourceRules: [anyPath] };

function schema(
  name: string,
  matchingPrecedence: number,
  level: string,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  subjects: readonly JsonObject[],
  rules: JsonObject,
): ConfiguredObject {
  return {
    metadata: metadataOf(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher === undefined ? undefined : { distinguisherMethod: { type: distinguisher } }),
      rules: [{ subjects: [...subjects], ...rules }],
    },
  };
}

export const suggestedFlowSchemas: readonly ConfiguredObject[] = [
  schema(exemptName, 1, exemptName, undefined, [group('system:masters')], all),
  schema('probes', 2, exemptName, undefined, everybody, {
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema(
    'system-leader-election',
    100,
    'leader-election',
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), accountsOfSystem],
    { resourceRules: [leases(['get', 'create', 'update'])] },
  ),
  schema('system-node-high', 400, 'node-high', 'ByUser', [group('system:nodes')], {
    resourceRules: [
      {
        verbs: ['*'],
        apiGroups: [''],
        resources: ['nodes', 'nodes/status'],
        clusterScope: true,
        namespaces: ['*'],
      },
      leases(['*']),
    ],
  }),
  schema('system-nodes', 500, 'system', 'ByUser', [group('system:nodes')], all),
  schema(
    'kube-controller-manager',
    800,
    'workload-high',
    'ByNamespace',
    [user('system:kube-controller-manager')],
    all,
  ),
  schema('kube-scheduler', 800, 'workload-high', 'ByNamespace', [user('system:kube-scheduler')], all),
  schema('kube-system-service-accounts', 900, 'workload-high', 'ByNamespace', [accountsOfSystem], all),
  schema('service-accounts', 9000, 'workload-low', 'ByUser', [group('system:serviceaccounts')], all),
  schema('global-default', 9900, 'global-default', 'ByUser', everybody, all),
  schema(catchAllName, 10_000, catchAllName, 'ByUser', everybody, all),
];

/** Those whose specs must not change. */
export const mandatoryPriorityLevels = suggestedPriorityLevels.filter(isMandatory);
export const mandatoryFlowSchemas = suggestedFlowSchemas.filter(isMandatory);

function isMandatory({ metadata: { name } }: ConfiguredObject): boolean {
  return name === exemptName || name === catchAllName;
}
