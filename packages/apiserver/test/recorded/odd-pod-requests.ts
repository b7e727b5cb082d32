/*
 * Pods that are wrong in one way each, or nearly so, whose answers odd-pod-answers.json holds as a kube-apiserver 1.36.3 gave them (record-odd-pods.ts).
 */

type Fields = Readonly<Record<string, unknown>>;

const container: Fields = { name: 'c', image: 'i:1' };
const withContainer = (fields: Fields): Fields => ({ containers: [{ ...container, ...fields }] });
const withSpec = (fields: Fields): Fields => ({ containers: [container], ...fields });
const withVolume = (source: Fields): Fields => withSpec({ volumes: [{ name: 'v', ...source }] });
const http = { httpGet: { port: 80 } };

const specs: Readonly<Record<string, readonly Fields[]>> = {
  ports: [
    withContainer({ ports: [{ containerPort: 99999 }] }),
    withContainer({ ports: [{ containerPort: 0 }] }),
    withContainer({ ports: [{ containerPort: 80, hostPort: 70000 }] }),
    withContainer({ ports: [{ containerPort: 80, protocol: 'HTTP' }] }),
    withContainer({ ports: [{ containerPort: 80, name: 'Not-A-Port' }] }),
    withContainer({
      ports: [
        { containerPort: 80, name: 'a' },
        { containerPort: 81, name: 'a' },
      ],
    }),
    withSpec({
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }],
    }),
    withContainer({ ports: [{ containerPort: 80, hostPort: 80, hostIP: 'here' }] }),
  ],
  environment: [
    withContainer({ env: [{ name: 'a=b' }] }),
    withContainer({ env: [{ name: '' }] }),
    withContainer({
      env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    }),
    withContainer({ env: [{ name: 'A', valueFrom: {} }] }),
    withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.other' } } }] }),
    withContainer({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: '' } } }] }),
    withContainer({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'a/b' } } }] }),
    withContainer({ envFrom: [{}] }),
    withContainer({ envFrom: [{ configMapRef: { name: '' } }] }),
  ],
  resources: [
    withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    withContainer({ resources: { requests: { cpu: '-1' } } }),
    withContainer({ resources: { limits: { gpus: '1' } } }),
    withContainer({ resources: { requests: { 'example.com/gpu': '1' } } }),
    withContainer({ resources: { limits: { 'example.com/gpu': '1.5' } } }),
    withContainer({ resources: { limits: { 'example.com/gpu': '1' } } }),
    withContainer({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
  ],
  probes: [
    withContainer({ livenessProbe: { httpGet: { port: 0 } } }),
    withContainer({ livenessProbe: { tcpSocket: { port: 70000 } } }),
    withContainer({ livenessProbe: {} }),
    withContainer({ livenessProbe: { ...http, exec: { command: ['a'] } } }),
    withContainer({ livenessProbe: { exec: { command: [] } } }),
    withContainer({ livenessProbe: { ...http, periodSeconds: -1 } }),
    withContainer({ livenessProbe: { ...http, successThreshold: 2 } }),
    withContainer({ readinessProbe: { ...http, successThreshold: 2 } }),
    withContainer({ readinessProbe: { ...http, terminationGracePeriodSeconds: 3 } }),
    withContainer({ startupProbe: { grpc: { port: 0 } } }),
    withContainer({ readinessProbe: { httpGet: { port: 80, scheme: 'FTP' } } }),
    withContainer({ lifecycle: { preStop: {} } }),
    withContainer({ lifecycle: { postStart: { httpGet: { port: 'no such name at all' } } } }),
  ],
  security: [
    withContainer({ securityContext: { runAsUser: -1 } }),
    withContainer({ securityContext: { runAsGroup: -1 } }),
    withSpec({ securityContext: { runAsUser: -1 } }),
    withSpec({ securityContext: { fsGroup: -1 } }),
    withSpec({ securityContext: { supplementalGroups: [-1] } }),
    withSpec({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
    withSpec({ securityContext: { seccompProfile: { type: 'Other' } } }),
    withSpec({ securityContext: { sysctls: [{ name: 'a b', value: '1' }] } }),
    withSpec({ securityContext: { sysctls: [{ name: '', value: '1' }] } }),
    withSpec({
      securityContext: {
        sysctls: [
          { name: 'net.a', value: '1' },
          { name: 'net.a', value: '2' },
        ],
      },
    }),
    withSpec({ securityContext: { fsGroupChangePolicy: 'Sometimes' } }),
    withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    withContainer({ securityContext: { procMount: 'Other' } }),
  ],
  scheduling: [
    withSpec({ tolerations: [{ key: 'a', operator: 'Like' }] }),
    withSpec({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
    withSpec({ tolerations: [{ operator: 'Equal', value: 'b' }] }),
    withSpec({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] }),
    withSpec({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }] }),
    withSpec({ tolerations: [{ key: 'a b', operator: 'Exists' }] }),
    withSpec({ nodeSelector: { a: 'b c' } }),
    withSpec({ nodeSelector: { 'a b': 'c' } }),
    withSpec({
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
      },
    }),
    withSpec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'Like' },
                  { key: 'a', operator: 'In' },
                  { key: 'a', operator: 'Exists', values: ['b'] },
                  { key: 'a', operator: 'Gt', values: ['b', 'c'] },
                ],
              },
            ],
          },
        },
      },
    }),
    withSpec({
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }] },
      },
    }),
    withSpec({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } },
    }),
    withSpec({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 101, podAffinityTerm: { topologyKey: 'a b' } },
          ],
        },
      },
    }),
    withSpec({
      topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
    }),
    withSpec({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: 'Sometimes' }],
    }),
    withSpec({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 },
      ],
    }),
    withSpec({ schedulingGates: [{ name: 'a' }, { name: 'a' }] }),
    withSpec({ schedulingGates: [{ name: 'a b' }] }),
    withSpec({ readinessGates: [{ conditionType: 'a b' }] }),
  ],
  names: [
    withSpec({ hostname: 'a.b' }),
    withSpec({ subdomain: 'A' }),
    withSpec({ hostAliases: [{ ip: 'here', hostnames: ['A'] }] }),
    withSpec({ dnsPolicy: 'None' }),
    withSpec({ dnsConfig: { nameservers: ['here'] } }),
    withSpec({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } }),
    withSpec({ dnsConfig: { searches: ['A B'], options: [{ value: 'a' }] } }),
    withContainer({ imagePullPolicy: 'Sometimes' }),
    withContainer({ terminationMessagePolicy: 'Other' }),
    withContainer({ image: ' i' }),
    withSpec({ initContainers: [{ ...container, name: 'i', restartPolicy: 'Never' }] }),
    withSpec({ initContainers: [{ ...container, name: 'i', livenessProbe: http }] }),
    withSpec({ os: { name: 'plan9' } }),
    withSpec({ terminationGracePeriodSeconds: -5 }),
  ],
  volumes: [
    withVolume({ emptyDir: { sizeLimit: '-1' } }),
    withVolume({ nfs: { path: '/a' } }),
    withVolume({ nfs: { server: 's', path: 'a' } }),
    withVolume({ hostPath: { path: '/a/../b' } }),
    withVolume({ hostPath: { path: '/a', type: 'Other' } }),
    withVolume({ configMap: { name: 'c', defaultMode: 9999 } }),
    withVolume({ configMap: { name: 'c', items: [{ key: '', path: '/a' }] } }),
    withVolume({ secret: { secretName: 's', items: [{ key: 'k', path: '../a' }] } }),
    withVolume({ csi: {} }),
    withVolume({ projected: { sources: [{}] } }),
    withSpec({
      serviceAccountName: 's',
      volumes: [
        { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 5 } }] } },
      ],
    }),
    withVolume({ downwardAPI: { items: [{ path: 'a' }] } }),
    withVolume({ iscsi: { targetPortal: '', iqn: 'x', lun: 300 } }),
    withVolume({ image: {} }),
    withSpec({
      volumes: [{ name: 'v' }],
      containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: 'a:b' }] }],
    }),
    withSpec({
      volumes: [{ name: 'v' }],
      containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '/b' }] }],
    }),
    withSpec({
      volumes: [{ name: 'v' }],
      containers: [
        { ...container, volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Other' }] },
      ],
    }),
  ],
};

const namespace = 'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}';

export const scenarios: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(specs).map(([name, given]) => [
    name,
    [
      namespace,
      ...given.map(
        (spec, index) => `POST $PODS ${JSON.stringify({ spec, metadata: { name: `p${index}` } })}`,
      ),
    ],
  ]),
);
