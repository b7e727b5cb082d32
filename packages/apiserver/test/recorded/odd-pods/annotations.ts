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

const with_ = (key: string, value: string, spec: Fields = withSpec({})): Annotated => ({
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
  with_(mirror, 'x'),
  with_(mirror, 'x', withSpec({ nodeName: 'n' })),
  with_(mirror, 'x', withSpec({ nodeName: 'n', resourceClaims: [{ name: 'd', resourceClaimName: 'r' }] })),
  with_(cost, '5'),
  with_(cost, '-5'),
  with_(cost, '0'),
  with_(cost, '+5'),
  with_(cost, '05'),
  with_(cost, ''),
  with_(cost, 'x'),
  with_(cost, '-'),
  with_(cost, '2147483648'),
  with_(tolerations, '[{"key":"a","operator":"Exists"}]'),
  with_(tolerations, '[{"key":"a b","operator":"Exists"}]'),
  with_(tolerations, '[{"operator":"Equal"}]'),
  with_(tolerations, '[]'),
  with_(seccompOfPod, 'runtime/default'),
  with_(seccompOfPod, 'docker/default'),
  with_(seccompOfPod, 'localhost/a'),
  with_(seccompOfPod, 'localhost//a'),
  with_(seccompOfPod, 'localhost/../a'),
  with_(seccompOfPod, 'other'),
  with_(seccomp, 'unconfined'),
  with_(seccomp, 'other'),
  with_(seccompOfPod, 'unconfined', withSecurity({ seccompProfile: { type: 'RuntimeDefault' } })),
  with_(seccompOfPod, 'docker/default', withSecurity({ seccompProfile: { type: 'RuntimeDefault' } })),
  with_(seccompOfPod, 'runtime/default', withSecurity({ seccompProfile: { type: 'Unconfined' } })),
  with_(seccomp, 'unconfined', confined('Unconfined')),
  with_(seccomp, 'runtime/default', confined('Unconfined')),
  with_(seccomp, 'localhost/a', confined('Localhost', 'a')),
  with_(seccomp, 'localhost/b', confined('Localhost', 'a')),
  with_(seccomp, 'unconfined', confined('Localhost', 'a')),
  with_(`${appArmor}c`, 'runtime/default'),
  with_(`${appArmor}c`, 'localhost/a'),
  with_(`${appArmor}c`, ''),
  with_(`${appArmor}c`, 'other'),
  with_(`${appArmor}d`, 'unconfined'),
  with_(`${appArmor}c`, 'unconfined', confined('Unconfined')),
  with_(`${appArmor}c`, 'runtime/default', confined('Unconfined')),
  with_(`${appArmor}c`, 'localhost/a', confined('Localhost', 'a')),
  with_(`${appArmor}c`, 'localhost/b', confined('Localhost', 'a')),
  with_(`${appArmor}c`, 'unconfined', withSecurity({ appArmorProfile: { type: 'RuntimeDefault' } })),
  with_(`${appArmor}c`, 'other', {
    containers: [container],
    os: { name: 'windows' },
  }),
];
