import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../meta/field-error.ts';
import type { ContainerStatus, Pod } from '../pod-object.ts';
import type { Container, PodSpec } from '../pod-spec.ts';

/* Validates the container statuses that a kubelet reports. */

const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
type List = (typeof lists)[number];

/**
 * A terminated container stays terminated, unless the pod restarts it.
 *
 * @param old has the spec that decides about restarts
 */
export function validateTransitions({ status }: Pod, { spec, status: before }: Pod): FieldError[] {
  return lists.flatMap((list) =>
    (before[list] ?? []).flatMap(({ name, state }, index) => {
      const exitCode = state?.terminated?.exitCode;
      const now = (status[list] ?? []).find((each) => each.name === name);
      const isRevived = exitCode !== undefined && now !== undefined && now.state?.terminated === undefined;
      return isRevived && !isStartedAgain(list, name, exitCode, spec)
        ? [
            forbiddenField(
              `status.${list}[${index}].state`,
              'may not be transitioned to non-terminated state',
            ),
          ]
        : [];
    }),
  );
}

function isStartedAgain(list: List, name: string, exitCode: number, spec: PodSpec): boolean {
  if (list === 'ephemeralContainerStatuses') {
    return false;
  }
  const { containers, initContainers = [], restartPolicy } = spec;
  const canAll = [...initContainers, ...(containers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
  if (canAll) {
    return true;
  }
  const container = (list === 'containerStatuses' ? (containers ?? []) : initContainers).find(
    (each) => each.name === name,
  );
  return container !== undefined && restarts(container, restartPolicy ?? '', exitCode);
}

function restarts(container: Container, ofPod: string, exitCode: number): boolean {
  const { restartPolicy: policy = ofPod, restartPolicyRules: rules = [] } = container;
  const isByRule =
    container.restartPolicy !== undefined &&
    rules.some(({ exitCodes }) => {
      const { operator, values = [] } = exitCodes ?? {};
      return operator !== undefined && (operator === 'In') === values.includes(exitCode);
    });
  return isByRule || policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

export function validateContainerStatuses({ spec, status }: Pod): FieldError[] {
  return [
    ...lists.flatMap((list) =>
      (status[list] ?? []).flatMap((each, index) => validateUser(each, spec, `status.${list}[${index}]`)),
    ),
    ...(['containers', 'initContainers'] as const).flatMap((of) => {
      const list = of === 'containers' ? 'containerStatuses' : 'initContainerStatuses';
      return (status[list] ?? []).flatMap((each, index) =>
        validateAllocated(each, spec[of] ?? [], `status.${list}[${index}].allocatedResourcesStatus`),
      );
    }),
    ...(status.ephemeralContainerStatuses ?? []).flatMap(({ allocatedResourcesStatus = [] }, index) =>
      allocatedResourcesStatus.length === 0
        ? []
        : [
            forbiddenField(
              `status.ephemeralContainerStatuses[${index}].allocatedResourcesStatus`,
              'must not be specified in container status',
            ),
          ],
    ),
  ];
}

const greatestId = 2 ** 31 - 1;

function validateUser({ user }: ContainerStatus, { os }: PodSpec, path: string): FieldError[] {
  const at = `${path}.user.linux`;
  const { linux } = user ?? {};
  if (linux === undefined) {
    return [];
  }
  if (os?.name === 'windows') {
    return [forbiddenField(at, 'cannot be set for a windows pod')];
  }
  const validateId = (id: number, field: string): FieldError[] =>
    id >= 0 && id <= greatestId
      ? []
      : [invalid(`${at}.${field}`, id, `must be between 0 and ${greatestId}, inclusive`)];
  return [
    ...validateId(linux.uid, 'uid'),
    ...validateId(linux.gid, 'gid'),
    ...(linux.supplementalGroups ?? []).flatMap((id, index) =>
      validateId(id, `supplementalGroups[${index}]`),
    ),
  ];
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const longestMessage = 1024;

function validateAllocated(
  { name, allocatedResourcesStatus: allocated = [] }: ContainerStatus,
  containers: readonly Container[],
  path: string,
): FieldError[] {
  const container = containers.find((each) => each.name === name);
  return allocated.flatMap((resource, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(container === undefined ? [] : validateAsked(resource.name, container, `${at}.name`)),
      ...validateHealth(resource.resources ?? [], `${at}.resources`),
    ];
  });
}

function validateAsked(name: string, { resources }: Container, at: string): FieldError[] {
  const { claims = [], requests = {} } = resources;
  if (!name.startsWith('claim:')) {
    return requests[name] === undefined
      ? [invalid(at, name, "must match one of the container's resource requests")]
      : [];
  }
  const isClaimed = claims.some(
    ({ name: claim, request = '' }) => name === `claim:${claim}${request === '' ? '' : `/${request}`}`,
  );
  const problem =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return isClaimed ? [] : [invalid(at, name, problem)];
}

type Healths = NonNullable<NonNullable<ContainerStatus['allocatedResourcesStatus']>[number]['resources']>;

function validateHealth(resources: Healths, path: string): FieldError[] {
  const ids = new Set<string>();
  return resources.flatMap(({ resourceID, health = '', message }, index) => {
    const at = `${path}[${index}]`;
    const isKnown = ids.has(resourceID);
    ids.add(resourceID);
    return [
      ...(healths.includes(health) ? [] : [notSupported(`${at}.health`, health, healths)]),
      ...(message === '' ? [required(`${at}.message`, 'must be non-empty if specified')] : []),
      ...(Buffer.byteLength(message ?? '') > longestMessage
        ? [tooLong(`${at}.message`, longestMessage)]
        : []),
      ...(isKnown ? [duplicate(`${at}.resourceID`, resourceID)] : []),
    ];
  });
}
