import { type Fields, container, withContainer, withSpec } from './fields.ts';

/* Templates, of which less is refused than of pods, and some things more. */

export const templates: readonly Fields[] = [
  { spec: withSpec({}) },
  { metadata: { labels: { 'a b': 'c' } }, spec: withSpec({}) },
  { metadata: { annotations: { 'a b': 'c' } }, spec: withSpec({}) },
  { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'x' } }, spec: withSpec({}) },
  {
    metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/d': 'x' } },
    spec: withSpec({}),
  },
  {
    metadata: { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } },
    spec: withSpec({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }),
  },
  { spec: withSpec({ ephemeralContainers: [{ name: 'e', image: 'i' }] }) },
  { spec: withContainer({ image: ' i' }) },
  { spec: withContainer({ image: '' }) },
  { spec: withContainer({ resources: { limits: { cpu: '1' } } }) },
  { spec: withContainer({ resources: { requests: { cpu: '1u' } } }) },
  { spec: withSpec({ terminationGracePeriodSeconds: -5 }) },
  { spec: withSpec({ volumes: [{ name: 'v', image: {} }] }) },
  { spec: withSpec({ volumes: [{ name: 'v', image: { reference: 'i', pullPolicy: 'x' } }] }) },
  { spec: withSpec({ preemptionPolicy: '' }) },
  { spec: withSpec({ preemptionPolicy: 'Other' }) },
  { spec: withSpec({ runtimeClassName: '' }) },
  { spec: withSpec({ overhead: { cpu: '1' } }) },
  { spec: withSpec({ overhead: { gpu: '1' } }) },
  { spec: withSpec({ priority: 3, priorityClassName: 'any' }) },
  { spec: withSpec({ nodeName: 'n', schedulingGates: [{ name: 'g' }] }) },
  { spec: withSpec({ resources: { limits: { cpu: '1' } } }) },
  {
    spec: withSpec({
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80 }] }],
    }),
  },
  {
    spec: withSpec({
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }],
    }),
  },
  {
    spec: withSpec({
      volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'p' } }] } }],
    }),
  },
  {
    metadata: { labels: { app: 'x' } },
    spec: withSpec({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: {},
          matchLabelKeys: ['app'],
        },
      ],
    }),
  },
];
