import {
  type FieldError,
  duplicate,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../meta/field-error.ts';
import type { Container, PodSpec } from '../pod-spec.ts';
import { validateEnvironment, validateVariableSources } from './environment.ts';
import { type Volumes, validateDevices, validateMounts } from './mounts.ts';
import { validateDnsLabel } from './name-errors.ts';
import { validateHostPorts, validatePorts } from './ports.ts';
import { validateProbes } from './probes.ts';
import { pullPolicies } from './pull-policies.ts';
import { validateOnceOnlyResize, validateResizePolicies } from './resize-policy.ts';
import { validateContainerRequirements } from './resources.ts';
import { validateInitRestarts, validateRestarts } from './restarts.ts';
import { validateContainerSecurity } from './security.ts';

/* Validates the containers of a pod: containers, init containers and ephemeral containers. */

/** What the validation of a container depends on, apart from the container. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  /** The names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly gracePeriod: number;
}

export function validateContainers(context: ContainerContext, path: string): FieldError[] {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) {
    return [required(path)];
  }
  const names = new Set<string>();
  return [
    ...containers.flatMap((container, index) => {
      const at = `${path}[${index}]`;
      const { name } = container;
      const isKnown = names.has(name);
      names.add(name);
      return [
        ...validateContainer(container, context, at),
        ...(isKnown ? [duplicate(`${at}.name`, name)] : []),
        ...validateProbes(container, context.gracePeriod, at),
        ...validateRestarts(container, at),
      ];
    }),
    ...validateHostPorts(containers, path),
  ];
}

export function validateInitContainers(context: ContainerContext, path: string): FieldError[] {
  const { spec, gracePeriod } = context;
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { name, resizePolicy = [] } = container;
    const isKnown = names.has(name);
    if (name !== '') {
      names.add(name);
    }
    return [
      ...validateContainer(container, context, at),
      ...validateInitRestarts(container, at),
      ...(isKnown ? [duplicate(`${at}.name`, name)] : []),
      // Init containers may share host ports, because they run one after the other. The real server's path
      // lacks the index.
      ...validateHostPorts([container], path),
      ...(container.restartPolicy === 'Always'
        ? validateProbes(container, gracePeriod, at)
        : [
            ...validateOnceOnly(container, at),
            ...validateOnceOnlyResize(resizePolicy, `${at}.resizePolicy`),
          ]),
    ];
  });
}

/** Init containers that run to completion have no probes and no lifecycle hooks. */
function validateOnceOnly(container: Container, path: string): FieldError[] {
  const fields = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];
  return fields
    .filter((field) => container[field] !== undefined)
    .map((field) =>
      forbiddenField(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
    );
}

/** The fields that an ephemeral container must not have. */
const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

export function validateEphemeralContainers(context: ContainerContext, path: string): FieldError[] {
  const { containers, initContainers = [], ephemeralContainers = [] } = context.spec;
  const others = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name));
  const names = new Set(others);
  return ephemeralContainers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { name, targetContainerName: target = '' } = container;
    const isKnown = names.has(name);
    names.add(name);
    return [
      ...validateContainer(container, context, at),
      ...validatePaddedImage(container, at),
      ...(isKnown ? [duplicate(`${at}.name`, name)] : []),
      ...(target === '' || others.has(target) ? [] : [fieldNotFound(`${at}.targetContainerName`, target)]),
      ...validateNotEphemeral(container, at),
    ];
  });
}

function validateNotEphemeral(container: Container, path: string): FieldError[] {
  const forbid = (at: string): FieldError => forbiddenField(at, 'cannot be set for an Ephemeral Container');
  return [
    ...notEphemeral.flatMap((field) => {
      const value = container[field];
      const isGiven =
        typeof value === 'object' && value !== null && field === 'resources'
          ? Object.keys(value).length > 0
          : value !== undefined;
      return isGiven ? [forbid(`${path}.${field}`)] : [];
    }),
    ...(container.volumeMounts ?? []).flatMap(({ subPath = '', subPathExpr = '' }, index) => [
      ...(subPath === '' ? [] : [forbid(`${path}.volumeMounts[${index}].subPath`)]),
      ...(subPathExpr === '' ? [] : [forbid(`${path}.volumeMounts[${index}].subPathExpr`)]),
    ]),
  ];
}

/** Only for pods: templates may have spaces around an image. */
export function validatePaddedImage({ image = '' }: Container, path: string): FieldError[] {
  return image === image.trim()
    ? []
    : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')];
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];

function validateContainer(container: Container, context: ContainerContext, path: string): FieldError[] {
  const { name, image = '', terminationMessagePolicy = '', imagePullPolicy = '' } = container;
  const { spec, volumes, claims } = context;
  const { env = [], envFrom = [], ports = [], resizePolicy = [], securityContext } = container;
  return [
    ...(name === '' ? [required(`${path}.name`)] : validateDnsLabel(name, `${path}.name`)),
    ...(image === '' ? [required(`${path}.image`)] : []),
    ...(messagePolicies.includes(terminationMessagePolicy)
      ? []
      : [notSupported(`${path}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies)]),
    ...validatePorts(ports, `${path}.ports`),
    ...validateEnvironment(env, `${path}.env`),
    ...validateVariableSources(envFrom, `${path}.envFrom`),
    ...validateMounts(container, volumes, `${path}.volumeMounts`),
    ...validateDevices(container, volumes, `${path}.volumeDevices`),
    ...(pullPolicies.includes(imagePullPolicy)
      ? []
      : [notSupported(`${path}.imagePullPolicy`, imagePullPolicy, pullPolicies)]),
    ...validateContainerRequirements(container.resources, claims, `${path}.resources`),
    ...validateResizePolicies(resizePolicy, spec.restartPolicy ?? '', `${path}.resizePolicy`),
    ...(securityContext === undefined
      ? []
      : validateContainerSecurity(securityContext, spec.hostUsers !== false, `${path}.securityContext`)),
  ];
}
