import type { ObjectMeta } from '../meta/kube-object.ts';
import { isFractional } from '../schema/quantity.ts';
import { appArmorWarnings } from './app-armor.ts';
import { addressWarnings } from './ip-warnings.ts';
import { keyWarnings, namedKeyWarnings, nodeSelectorTermWarnings } from './node-labels.ts';
import type { Container, EnvVar, PodAffinity, PodSpec } from './pod-spec.ts';
import { overlapWarnings, volumeSourceWarnings } from './pod-volume-warnings.ts';
import { type PlacedContainer, portWarnings } from './port-warnings.ts';
import { repeatedIn } from './repeated-values.ts';

/* The API server's warnings about pods and templates, in its order: pkg/api/pod/warnings.go. */

const withoutFunction: readonly (readonly [annotation: string, message: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'v1.11+; use the "sysctls" field instead'],
];
const seccompMessage = 'v1.27+; use the "seccompProfile" field instead';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompOfContainer = 'container.seccomp.security.alpha.kubernetes.io/';

/**
 * If a nodeSelector has several deprecated labels, the API server warns in any order; here the order is that
 * of the object.
 *
 * @param template the path of the template; undefined for a pod
 */
export function podWarnings(
  spec: PodSpec,
  metadata: ObjectMeta,
  template: string | undefined,
): readonly string[] {
  const at = template === undefined ? '' : `${template}.`;
  const path = `${at}spec`;
  const annotationWarning = (annotation: string, message: string): readonly string[] =>
    metadata.annotations?.[annotation] === undefined
      ? []
      : [`${at}metadata.annotations[${annotation}]: non-functional in ${message}`];
  const containers = placed(spec, path);
  const volumes = spec.volumes ?? [];
  return [
    ...nodeLabelWarnings(spec, path),
    ...withoutFunction.flatMap(([annotation, message]) => annotationWarning(annotation, message)),
    ...volumes.flatMap((volume, index) => volumeSourceWarnings(volume, `${path}.volumes[${index}]`)),
    ...volumes.flatMap(overlapWarnings),
    ...repetitionWarnings(spec, path),
    ...fractionWarnings(spec.overhead, ['memory', 'ephemeral-storage'], `${path}.overhead`),
    ...(spec.securityContext?.seccompProfile === undefined
      ? annotationWarning(seccompOfPod, seccompMessage)
      : []),
    ...containers.flatMap(({ container, path: place }) => [
      ...(container.securityContext?.seccompProfile === undefined
        ? annotationWarning(seccompOfContainer + container.name, seccompMessage)
        : []),
      // For a pod, these warnings are made when the annotations become fields.
      ...(template === undefined ? [] : appArmorWarnings(container, spec, metadata, at)),
      ...resourceWarnings(container, place),
      ...variableWarnings(container.env ?? [], place),
    ]),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec.affinity?.podAffinity, `${path}.affinity.podAffinity`),
    ...affinityWarnings(spec.affinity?.podAntiAffinity, `${path}.affinity.podAntiAffinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((server, index) =>
      addressWarnings(server, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, index) =>
      addressWarnings(ip, `${path}.hostAliases[${index}].ip`),
    ),
  ];
}

function placed(spec: PodSpec, path: string): readonly PlacedContainer[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: `${path}.${list}[${index}]` })),
  );
}

function nodeLabelWarnings(spec: PodSpec, path: string): readonly string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = spec.affinity?.nodeAffinity ?? {};
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) =>
      keyWarnings(key, `${path}.nodeSelector[${key}]`),
    ),
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeSelectorTermWarnings(
        term,
        `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        false,
      ),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      nodeSelectorTermWarnings(
        preference,
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        true,
      ),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const constraint = `${path}.topologySpreadConstraints[${index}]`;
      return [
        ...namedKeyWarnings(topologyKey, `${constraint}.topologyKey`),
        ...nullSelectorWarnings(labelSelector, constraint),
      ];
    }),
  ];
}

function nullSelectorWarnings(selector: unknown, path: string): readonly string[] {
  return selector === undefined
    ? [`${path}.labelSelector: a null labelSelector results in matching no pod`]
    : [];
}

function affinityWarnings(affinity: PodAffinity | undefined, path: string): readonly string[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required = [],
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  } = affinity ?? {};
  return [
    ...required.flatMap(({ labelSelector }, index) =>
      nullSelectorWarnings(labelSelector, `${path}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
    ...preferred.flatMap(({ podAffinityTerm }, index) =>
      nullSelectorWarnings(
        podAffinityTerm.labelSelector,
        `${path}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`,
      ),
    ),
  ];
}

/** Repeated host aliases and pull secrets, then pull secrets without a name. */
function repetitionWarnings(spec: PodSpec, path: string): readonly string[] {
  const addresses = (spec.hostAliases ?? []).map(({ ip }) => ip);
  const secrets = (spec.imagePullSecrets ?? []).map(({ name = '' }) => name);
  return [
    ...Array.from(
      repeatedIn(addresses),
      (index) => `${path}.hostAliases[${index}].ip: duplicate ip "${addresses[index] ?? ''}"`,
    ),
    ...Array.from(
      repeatedIn(secrets),
      (index) => `${path}.imagePullSecrets[${index}].name: duplicate name "${secrets[index] ?? ''}"`,
    ),
    ...secrets.flatMap((name, index) =>
      name === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

type Amounts = Readonly<Record<string, string>> | undefined;

function fractionWarnings(amounts: Amounts, resources: readonly string[], path: string): readonly string[] {
  return resources.flatMap((resource) => {
    const amount = amounts?.[resource] ?? '0';
    return isFractional(amount)
      ? [`${path}[${resource}]: fractional byte value "${amount}" is invalid, must be an integer`]
      : [];
  });
}

function resourceWarnings({ resources }: Container, path: string): readonly string[] {
  const { limits, requests } = resources;
  return ['memory', 'ephemeral-storage'].flatMap((resource) => [
    ...fractionWarnings(limits, [resource], `${path}.resources.limits`),
    ...fractionWarnings(requests, [resource], `${path}.resources.requests`),
  ]);
}

/** A variable may be repeated if its later value refers to the earlier one and extends it. */
function variableWarnings(variables: readonly EnvVar[], path: string): readonly string[] {
  const names = variables.map(({ name }) => name);
  return [...repeatedIn(names)].flatMap((index) => {
    const { name = '', value = '', valueFrom } = variables[index] ?? {};
    const reference = `$(${name})`;
    const isExtended = valueFrom === undefined && value !== reference && value.includes(reference);
    return isExtended
      ? []
      : [
          `${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
        ];
  });
}
