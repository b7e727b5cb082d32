import { type Fields, container, init, withContainer, withSpec } from './fields.ts';

/* Changes of pods that are there: of themselves, of their status, and of their parts. */

export interface Change {
  readonly spec: Fields;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Written to the status before the change. */
  readonly status?: Fields;
  /** The subresource that the change goes to. Default: the pod itself. */
  readonly part?: 'status' | 'resize' | 'ephemeralcontainers';
  /** A merge patch. */
  readonly change: Fields;
}

const plain = withSpec({});
const spec = (fields: Fields, before: Fields = {}): Change => ({
  spec: withSpec(before),
  change: { spec: fields },
});
const annotated = (
  change: Readonly<Record<string, string | null>>,
  annotations: Readonly<Record<string, string>> = {},
  before: Fields = plain,
): Change => ({ spec: before, annotations, change: { metadata: { annotations: change } } });
const deadline = (seconds: number | null, before?: number): Change =>
  spec({ activeDeadlineSeconds: seconds }, { activeDeadlineSeconds: before });

const toleration: Fields = { key: 'a', operator: 'Exists' };
const usual: readonly Fields[] = ['not-ready', 'unreachable'].map((what) => ({
  key: `node.kubernetes.io/${what}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));
const gated = (change: Fields, before: Fields = {}): Change =>
  spec(change, { schedulingGates: [{ name: 'g' }], ...before });
const onNodes = (...nodeSelectorTerms: Fields[]): Fields => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const has = (key: string): Fields => ({ key, operator: 'Exists' });

const changes: readonly Change[] = [
  spec({}),
  spec({ containers: [{ ...container, image: 'j:1' }] }),
  spec({ containers: [{ ...container, image: '' }] }),
  spec({ containers: [{ ...container, image: ' j' }] }),
  spec({ containers: [{ ...container, image: 'j:1', command: ['a'] }] }),
  spec({ containers: [container, { ...container, name: 'd' }] }),
  spec({ containers: [{ ...container, name: 'd' }] }),
  spec({ initContainers: [init] }),
  spec({ initContainers: [{ ...init, image: 'j:1' }] }, { initContainers: [init] }),
  spec({ initContainers: [{ ...init, image: 'j:1', args: ['a'] }] }, { initContainers: [init] }),
  spec({ initContainers: null }, { initContainers: [init] }),
  deadline(5),
  deadline(5, 10),
  deadline(10, 5),
  deadline(0),
  deadline(-1),
  deadline(2 ** 31),
  deadline(null, 5),
  spec({ tolerations: [toleration, ...usual] }),
  spec({ tolerations: [toleration] }),
  spec({ tolerations: usual.map((each) => ({ ...each, tolerationSeconds: 5 })) }),
  spec({ tolerations: [...usual, { key: 'a b', operator: 'Exists' }] }),
  spec({ tolerations: null }),
  spec({ terminationGracePeriodSeconds: 5 }),
  spec({ terminationGracePeriodSeconds: -5 }),
  spec({ nodeName: 'n' }),
  spec({ nodeSelector: { a: 'b' } }),
  spec({ hostNetwork: true }),
  spec({ priority: 3 }),
  spec({ priority: null }),
  spec({ restartPolicy: 'Never' }),
  spec({ volumes: [{ name: 'v' }] }),
  spec({ serviceAccountName: 'a' }),
  spec({ securityContext: { runAsUser: 1 } }),
  spec({ hostname: 'h' }),
  spec({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
  spec({ schedulingGates: [{ name: 'g' }] }),
  gated({ schedulingGates: null }),
  gated({ schedulingGates: [{ name: 'g' }, { name: 'h' }] }),
  gated({ schedulingGates: [{ name: 'h' }] }),
  gated({ nodeName: 'n' }),
  gated({ nodeSelector: { a: 'b' } }),
  gated({ nodeSelector: { a: 'b', c: 'd' } }, { nodeSelector: { a: 'b' } }),
  gated({ nodeSelector: { a: 'c' } }, { nodeSelector: { a: 'b' } }),
  gated({ nodeSelector: null }, { nodeSelector: { a: 'b' } }),
  gated(onNodes({ matchExpressions: [has('a')] })),
  gated(onNodes({ matchExpressions: [has('a'), has('b')] }), onNodes({ matchExpressions: [has('a')] })),
  gated(onNodes({ matchExpressions: [has('b')] }), onNodes({ matchExpressions: [has('a')] })),
  gated(
    onNodes({ matchExpressions: [has('a')] }, { matchExpressions: [has('b')] }),
    onNodes({ matchExpressions: [has('a')] }),
  ),
  gated({ affinity: null }, onNodes({ matchExpressions: [has('a')] })),
  gated(onNodes({ matchExpressions: [has('a')] }), onNodes({})),
  gated({ affinity: { podAffinity: {} } }),
  gated({ hostname: 'h' }),
  annotated({ a: 'b' }),
  annotated({ 'kubernetes.io/config.mirror': 'x' }, {}, withSpec({ nodeName: 'n' })),
  annotated(
    { 'kubernetes.io/config.mirror': 'y' },
    { 'kubernetes.io/config.mirror': 'x' },
    withSpec({ nodeName: 'n' }),
  ),
  annotated(
    { 'kubernetes.io/config.mirror': null },
    { 'kubernetes.io/config.mirror': 'x' },
    withSpec({ nodeName: 'n' }),
  ),
  annotated({ 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' }),
  annotated(
    { 'container.apparmor.security.beta.kubernetes.io/c': null },
    { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
  ),
  annotated({ 'controller.kubernetes.io/pod-deletion-cost': 'x' }),
  annotated({ 'controller.kubernetes.io/pod-deletion-cost': '3' }),
  annotated({ 'seccomp.security.alpha.kubernetes.io/pod': 'other' }),
];

const said = (status: Fields, of: Fields = plain, before?: Fields): Change => ({
  spec: of,
  ...(before === undefined ? undefined : { status: before }),
  part: 'status',
  change: { status },
});
const condition = (fields: Fields): Fields => ({
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', ...fields }],
});
const ofContainer = (fields: Fields): Fields => ({
  containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, ...fields }],
});
const ended = (exitCode: number): Fields => ofContainer({ state: { terminated: { exitCode } } });
const runs: Fields = ofContainer({ state: { running: {} } });
const policy = (restartPolicy: string, fields: Fields = {}): Fields => ({
  ...withContainer(fields),
  restartPolicy,
});
const allocated = (...allocatedResourcesStatus: Fields[]): Fields =>
  ofContainer({ allocatedResourcesStatus });
const extended = (fields: Fields): Fields => ({
  extendedResourceClaimStatus: {
    resourceClaimName: 'r',
    requestMappings: [{ containerName: 'c', resourceName: 'e.com/gpu', requestName: 'q' }],
    ...fields,
  },
});
const withGpu = withContainer({ resources: { limits: { 'e.com/gpu': '1' } } });
const withClaim: Fields = {
  ...withContainer({ resources: { claims: [{ name: 'd', request: 'q' }] } }),
  resourceClaims: [{ name: 'd', resourceClaimTemplateName: 't' }],
};

const statuses: readonly Change[] = [
  said({ phase: 'Running' }),
  said(condition({})),
  said(condition({ type: 'a b' })),
  said(condition({ type: 'e.com/mine' })),
  said(condition({ observedGeneration: 1 })),
  said(condition({ observedGeneration: -1 })),
  said(condition({}), plain, condition({ observedGeneration: 1 })),
  said({ observedGeneration: -1 }),
  said({ phase: 'Running' }, plain, { observedGeneration: 1 }),
  said({ nominatedNodeName: 'n' }),
  said({ nominatedNodeName: 'A b' }),
  said({ nominatedNodeName: 'n' }, withSpec({ nodeName: 'n' })),
  said({ qosClass: 'Guaranteed' }),
  said({ qosClass: null }),
  said({ podIP: '1.1.1.1' }),
  said({ podIP: 'here' }),
  said({ podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] }),
  said({ podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] }),
  said({ podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }, { ip: '1.1.1.2' }] }),
  said({ podIPs: [{ ip: '1.1.1.1' }, { ip: 'x' }] }),
  said({ podIPs: [{ ip: '01.1.1.1' }] }),
  said({ hostIP: '1.1.1.1', hostIPs: [{ ip: '1.1.1.1' }] }),
  said({ hostIP: '1.1.1.1', hostIPs: [{ ip: '1.1.1.2' }] }),
  said({ hostIP: '1.1.1.1', hostIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] }),
  said({ hostIP: 'x', hostIPs: [{ ip: 'x' }] }),
  said(runs, plain, ended(0)),
  said(runs, policy('Never'), ended(0)),
  said(runs, policy('Never'), ended(1)),
  said(runs, policy('OnFailure'), ended(0)),
  said(runs, policy('OnFailure'), ended(1)),
  said(runs, policy('Never', { restartPolicy: 'Always' }), ended(1)),
  said(runs, policy('Always', { restartPolicy: 'Never' }), ended(1)),
  said(runs, policy('Always', { restartPolicy: 'OnFailure' }), ended(0)),
  ...[3, 4].map((exitCode) =>
    said(
      runs,
      policy('Never', {
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }],
      }),
      ended(exitCode),
    ),
  ),
  said(
    runs,
    policy('Never', {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [3] } }],
    }),
    ended(4),
  ),
  said({ containerStatuses: null }, policy('Never'), ended(0)),
  said(ofContainer({ user: { linux: { uid: 1, gid: 1, supplementalGroups: [1] } } })),
  said(ofContainer({ user: { linux: { uid: -1, gid: -1, supplementalGroups: [-1] } } })),
  said(ofContainer({ user: { linux: { uid: 1, gid: 1 } } }), withSpec({ os: { name: 'windows' } })),
  said(allocated({ name: 'e.com/gpu', resources: [{ resourceID: 'a', health: 'Healthy' }] }), withGpu),
  said(allocated({ name: 'e.com/other', resources: [] }), withGpu),
  said(allocated({ name: 'claim:d/q' }), withClaim),
  said(allocated({ name: 'claim:d' }), withClaim),
  said(allocated({ name: 'e.com/gpu', resources: [{ resourceID: 'a', health: 'Well' }] }), withGpu),
  said(
    allocated({
      name: 'e.com/gpu',
      resources: [
        { resourceID: 'a', health: 'Healthy', message: '' },
        { resourceID: 'a', health: 'Unknown' },
      ],
    }),
    withGpu,
  ),
  said(
    ofContainer({
      volumeMounts: [{ name: 'v', mountPath: '/a', volumeStatus: { image: { imageRef: '' } } }],
    }),
  ),
  said({ resourceClaimStatuses: [{ name: 'd', resourceClaimName: 'r' }] }, withClaim),
  said({ resourceClaimStatuses: [{ name: 'e', resourceClaimName: 'A b' }] }, withClaim),
  said(extended({}), withGpu),
  said(extended({ requestMappings: [] }), withGpu),
  said(extended({ resourceClaimName: '' }), withGpu),
  said(extended({ resourceClaimName: 'A b' }), withGpu),
  said(
    extended({ requestMappings: [{ containerName: 'x', resourceName: 'y', requestName: 'A b' }] }),
    withGpu,
  ),
  said(extended({ requestMappings: [{ containerName: 'c', resourceName: 'y', requestName: 'q' }] }), withGpu),
];

const look = (change: readonly Fields[] | null, annotations?: Change['annotations']): Change => ({
  spec: annotations === undefined ? plain : withSpec({ nodeName: 'n' }),
  ...(annotations === undefined ? undefined : { annotations }),
  part: 'ephemeralcontainers',
  change: { spec: { ephemeralContainers: change } },
});
const looks: readonly Change[] = [
  look([{ name: 'e', image: 'i', targetContainerName: 'c', command: ['a'] }]),
  look([{ name: 'e', image: 'i', targetContainerName: 'd' }]),
  look([{ name: 'c', image: 'i' }]),
  look([
    { name: 'e', image: 'i' },
    { name: 'e', image: 'i' },
  ]),
  look([{ name: '', image: '' }]),
  look([{ name: 'e', image: ' i' }]),
  look([{ name: 'e', image: 'i', ports: [{ containerPort: 80 }] }]),
  look([{ name: 'e', image: 'i', resources: { limits: { cpu: '1' } } }]),
  look([{ name: 'e', image: 'i', livenessProbe: { httpGet: { port: 80 } } }]),
  look([{ name: 'e', image: 'i', readinessProbe: { httpGet: { port: 80 } } }]),
  look([{ name: 'e', image: 'i', startupProbe: { httpGet: { port: 80 } } }]),
  look([{ name: 'e', image: 'i', lifecycle: { preStop: { exec: { command: ['a'] } } } }]),
  look([{ name: 'e', image: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }]),
  look([{ name: 'e', image: 'i', restartPolicy: 'Always' }]),
  look([{ name: 'e', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 'b' }] }]),
  look([{ name: 'e', image: 'i', securityContext: { runAsUser: -1 } }]),
  look(null),
  look([{ name: 'e', image: 'i' }], { 'kubernetes.io/config.mirror': 'x' }),
];

const asking: Fields = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } };
const resized = (
  containers: readonly Fields[],
  before: Fields = withContainer({ resources: asking }),
): Change => ({
  spec: before,
  part: 'resize',
  change: { spec: { containers } },
});
const asks = (resources: Fields, before?: Fields): Change => resized([{ ...container, resources }], before);
const sizes: readonly Change[] = [
  asks({ requests: { cpu: '1500m', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
  asks({ requests: { cpu: '3', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
  asks({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } }),
  asks({ requests: { cpu: '1' } }),
  asks({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
  asks({ ...asking, limits: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '1Gi' } }),
  asks({ requests: { cpu: '1' } }, plain),
  resized([{ ...container, name: 'd', resources: asking }]),
  resized([container, { ...container, name: 'd' }]),
  resized([{ ...container, image: 'j', resources: asking }]),
  resized([
    {
      ...container,
      resources: asking,
      resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
    },
  ]),
  asks(asking, { ...withContainer({ resources: asking }), os: { name: 'windows' } }),
  {
    spec: { ...withContainer({ resources: asking }), initContainers: [{ ...init, resources: asking }] },
    part: 'resize',
    change: {
      spec: {
        initContainers: [{ ...init, resources: { ...asking, requests: { cpu: '2', memory: '1Gi' } } }],
      },
    },
  },
  {
    spec: { ...withContainer({ resources: asking }), resources: { limits: { cpu: '4', memory: '4Gi' } } },
    part: 'resize',
    change: { spec: { resources: { limits: { cpu: '5' } } } },
  },
  {
    spec: { ...withContainer({ resources: asking }), resources: { limits: { cpu: '4', memory: '4Gi' } } },
    part: 'resize',
    change: { spec: { resources: null } },
  },
  {
    spec: withContainer({ resources: asking }),
    part: 'resize',
    change: { spec: { resources: { requests: { cpu: '5' } } } },
  },
];

export const podChanges: Readonly<Record<string, readonly Change[]>> = {
  changes,
  statuses,
  'a look inside': looks,
  sizes,
};
