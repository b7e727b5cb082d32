import { append } from '../../meta/append.ts';
import { type FieldError, forbiddenField, invalid } from '../../meta/field-error.ts';
import { jsonEqual, withoutFields } from '../../meta/json.ts';
import type { Pod } from '../pod-object.ts';
import type { Container, PodSpec, ResourceRequirements } from '../pod-spec.ts';
import { qosClassOf } from '../quality-of-service.ts';
import { mirror } from './annotations.ts';
import { validatePod } from './pod.ts';

/* Validates how the resources of a running pod change (ValidatePodResize in pkg/apis/core/validation). */

const lists = ['containers', 'initContainers'] as const;

export function validatePodResize(pod: Pod, old: Pod): FieldError[] {
  const { spec } = pod;
  const { spec: before } = old;
  if (old.metadata.annotations?.[mirror] !== undefined) {
    return [forbiddenField('[]', 'static pods cannot be resized')];
  }
  if (before.os?.name === 'windows') {
    return [forbiddenField('[]', 'windows pods cannot be resized')];
  }
  const errors = [
    ...validatePod(pod),
    ...validateSameClass(pod, old),
    ...(isResizable(old) ? [] : [forbiddenField('spec', 'Pod running on node without support for resize')]),
    ...validateWhole(spec, before),
  ];
  const ofOrder = lists.flatMap((list) => validateSameOrder(spec, before, list));
  if (ofOrder.length > 0) {
    return [...errors, ...ofOrder];
  }
  append(errors, [
    ...(['initContainers', 'containers'] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap(({ resources }, index) =>
        validateKept(
          resources,
          before[list]?.[index]?.resources ?? {},
          `spec.${list}[${index}].resources`,
          'resource',
        ),
      ),
    ),
    ...validateOnlyResources(spec, before),
  ]);
  if (errors.length > 0) {
    return errors;
  }
  return jsonEqual(withoutResources(spec), withoutResources(before))
    ? []
    : [forbiddenField('spec', 'only cpu and memory resources are mutable')];
}

function validateSameClass({ spec, status }: Pod, old: Pod): FieldError[] {
  const before = old.status.qosClass ?? qosClassOf(old.spec);
  return qosClassOf(spec) === before
    ? []
    : [invalid('spec', status.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** A kubelet that supports resizing reports the resources of running containers. */
function isResizable({ status }: Pod): boolean {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running['resources'] !== undefined;
}

function validateWhole({ resources }: PodSpec, { resources: before }: PodSpec): FieldError[] {
  if (resources === undefined) {
    return before === undefined
      ? []
      : [forbiddenField('spec.resources', 'pod-level resources cannot be removed')];
  }
  return [
    ...validateKept(resources, before ?? {}, 'spec.resources', 'pod-level resource'),
    ...(jsonEqual(othersOf(resources), othersOf(before ?? {}))
      ? []
      : [forbiddenField('spec', 'only cpu and memory resources are mutable at pod-level')]),
  ];
}

function validateSameOrder(spec: PodSpec, before: PodSpec, list: (typeof lists)[number]): FieldError[] {
  const [now, old] = [spec[list] ?? [], before[list] ?? []];
  const path = `spec.${list}`;
  return now.length === old.length
    ? now.flatMap(({ name }, index) =>
        name === old[index]?.name
          ? []
          : [forbiddenField(`${path}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
      )
    : [forbiddenField(path, `${list} may not be added or removed on resize`)];
}

function validateKept(
  now: ResourceRequirements,
  before: ResourceRequirements,
  path: string,
  what: string,
): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((side) => {
    const isLost = Object.keys(before[side] ?? {}).some((name) => now[side]?.[name] === undefined);
    return isLost ? [forbiddenField(`${path}.${side}`, `${what} ${side} cannot be removed`)] : [];
  });
}

function validateOnlyResources(spec: PodSpec, before: PodSpec): FieldError[] {
  return [
    ...(spec.containers ?? []).flatMap((container, index) =>
      isSameButResources(container, before.containers?.[index])
        ? []
        : [forbiddenField('spec', 'only cpu and memory resources are mutable')],
    ),
    ...(spec.initContainers ?? []).flatMap((container, index) => {
      const path = `spec.initContainers[${index}]`;
      const old = before.initContainers?.[index];
      const restarts = (container.resizePolicy ?? []).filter(
        ({ restartPolicy }) => restartPolicy === 'RestartContainer',
      );
      const isChanged = container.restartPolicy !== 'Always' && !jsonEqual(container, old);
      return [
        ...(isSameButResources(container, old)
          ? []
          : [
              forbiddenField(
                path,
                'only cpu and memory resources for init or sidecar containers are mutable',
              ),
            ]),
        ...(isChanged ? restarts : []).map(() =>
          forbiddenField(
            path,
            'non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
          ),
        ),
      ];
    }),
  ];
}

function isSameButResources(container: Container, old: Container | undefined): boolean {
  return (
    old !== undefined &&
    jsonEqual(othersOf(container.resources), { ...othersOf(old.resources), claims: old.resources.claims }) &&
    jsonEqual({ ...container, resources: {} }, { ...old, resources: {} })
  );
}

/** All resources except cpu and memory. As in the real server's comparison, `claims` are lost. */
function othersOf({ limits, requests }: ResourceRequirements): ResourceRequirements {
  const others = (amounts: ResourceRequirements['limits'] = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== 'cpu' && name !== 'memory'));
  return { limits: others(limits), requests: others(requests) };
}

function withoutResources(spec: PodSpec): PodSpec {
  const bare = (containers: readonly Container[] | null | undefined): Container[] =>
    (containers ?? []).map((container) => ({ ...container, resources: {} }));
  const others = withoutFields(spec, ['resources']);
  return { ...others, containers: bare(spec.containers), initContainers: bare(spec.initContainers) };
}
