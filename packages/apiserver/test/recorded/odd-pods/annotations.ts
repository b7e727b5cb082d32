import { type Fields, container, withContainer, withSecurity, withSpec } from './fields.ts';

/* Pods whose annotations the server reads. */

export interface Annotated {
  readonly spec: Fields;
  readonly annotations: Readonly<Record<string, string>>;
}

const mirror = 'kubernetes.io/config.mirror';
const cost = 'controller.kubernetes.io/pod-deletion-cost';
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccomp = 'container.seccomp.security.alpha.kubernetes.io/c';
const appArmor = 'container.apparmor.security.beta.kubernetes.io/';

const annotated = (key: string, value: string, spec: Fields = withSpec({})): Annotated => ({
  spec,
  annotations: { [key]: value },
});
const confined = (type: string, localhostProfile?: string): Fields =>
  withContainer({
    securityContext: {
      seccompProfile: { type, localhostProfile },
      appArmorProfile: { type, localhostProfile },
    },
  });

export const annotatedPods: readonly Annotated[] = [
  annotated('pod.beta.kubernetes.io/init-containers', '[]'),
  annotated(mirror, 'x'),
  annotated(mirror, 'x', withSpec({ nodeName: 'n' })),
  annotated(
    mirror,
    'x',
    withSpec({ nodeName: 'n', resourceClaims: [{ name: 'd', resourceClaimName: 'r' }] }),
  ),
  annotated(cost, '5'),
  annotated(cost, '-5'),
  annotated(cost, '0'),
  annotated(cost, '+5'),
  annotated(cost, '05'),
  annotated(cost, ''),
  annotated(cost, 'x'),
  annotated(cost, '-'),
  annotated(cost, '2147483648'),
  annotated(tolerations, '[{"key":"a","operator":"Exists"}]'),
  annotated(tolerations, '[{"key":"a b","operator":"Exists"}]'),
  annotated(tolerations, '[{"operator":"Equal"}]'),
  annotated(tolerations, '[]'),
  annotated(seccompOfPod, 'runtime/default'),
  annotated(seccompOfPod, 'docker/default'),
  annotated(seccompOfPod, 'localhost/a'),
  annotated(seccompOfPod, 'localhost//a'),
  annotated(seccompOfPod, 'localhost/../a'),
  annotated(seccompOfPod, 'other'),
  annotated(seccomp, 'unconfined'),
  annotated(seccomp, 'other'),
  annotated(seccompOfPod, 'unconfined', withSecurity({ seccompProfile: { type: 'RuntimeDefault' } })),
  annotated(seccompOfPod, 'docker/default', withSecurity({ seccompProfile: { type: 'RuntimeDefault' } })),
  annotated(seccompOfPod, 'runtime/default', withSecurity({ seccompProfile: { type: 'Unconfined' } })),
  annotated(seccomp, 'unconfined', confined('Unconfined')),
  annotated(seccomp, 'runtime/default', confined('Unconfined')),
  annotated(seccomp, 'localhost/a', confined('Localhost', 'a')),
  annotated(seccomp, 'localhost/b', confined('Localhost', 'a')),
  annotated(seccomp, 'unconfined', confined('Localhost', 'a')),
  annotated(`${appArmor}c`, 'runtime/default'),
  annotated(`${appArmor}c`, 'localhost/a'),
  annotated(`${appArmor}c`, ''),
  annotated(`${appArmor}c`, 'other'),
  annotated(`${appArmor}d`, 'unconfined'),
  annotated(`${appArmor}c`, 'unconfined', confined('Unconfined')),
  annotated(`${appArmor}c`, 'runtime/default', confined('Unconfined')),
  annotated(`${appArmor}c`, 'localhost/a', confined('Localhost', 'a')),
  annotated(`${appArmor}c`, 'localhost/b', confined('Localhost', 'a')),
  annotated(`${appArmor}c`, 'unconfined', withSecurity({ appArmorProfile: { type: 'RuntimeDefault' } })),
  annotated(`${appArmor}c`, 'other', {
    containers: [container],
    os: { name: 'windows' },
  }),
];
