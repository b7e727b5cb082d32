import {
  type FieldError,
  duplicate,
  forbiddenField,
  internalFieldError,
  invalid,
  notSupported,
  required,
} from '../meta/field-error.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { labelValueProblems, qualifiedNameProblems } from '../meta/names.ts';
import { decodeStruct } from '../schema/decode.ts';
import { namedAsInJson } from '../schema/go-names.ts';
import { isNetwork, validateNetwork } from './addresses.ts';
import { goValue } from './go-diff.ts';
import { repeatedIn } from './repeated-values.ts';
import { validateResourceAmount } from './resource-names.ts';

/* Validates nodes, and what their kubelets say of them. */

export interface Node extends KubeObject {
  spec: {
    unschedulable?: boolean;
    taints?: Taint[];
    providerID?: string;
    podCIDR?: string;
    podCIDRs?: string[];
    externalID?: string;
    configSource?: JsonObject;
  };
  status: {
    conditions?: { type: string; status: string }[];
    addresses?: { type: string; address: string }[];
    nodeInfo: { [field: string]: string } & { swap?: { capacity?: number } };
    declaredFeatures?: string[];
    allocatable?: { [resource: string]: string };
    capacity?: { [resource: string]: string };
  } & JsonObject;
}

interface Taint extends JsonObject {
  key: string;
  value?: string;
  effect: string;
}

/** Validates a new node, or a changed one besides what `validateNodeUpdate` finds. */
export function validateNode({ metadata, spec, status }: Node): FieldError[] {
  const { capacity } = status.nodeInfo.swap ?? {};
  return [
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...validateAmounts(status),
    ...(capacity !== undefined && capacity <= 0
      ? // The real server looks for it in the metadata.
        [invalid('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero')]
      : []),
    ...validateFeatures(status.declaredFeatures ?? []),
    ...validateRanges(spec.podCIDRs ?? []),
  ];
}

/** Validates a changed node or status. */
export function validateNodeUpdate({ metadata, spec, status }: Node, old: Node): FieldError[] {
  const { addresses = [] } = status;
  const { podCIDRs: ranges = [], providerID = '', externalID = '' } = old.spec;
  const given = spec.podCIDRs ?? [];
  const changes =
    ranges.length === given.length
      ? ranges.filter((range, index) => range !== given[index]).length
      : Math.min(ranges.length, 1);
  const repeatedAddresses = repeatedIn(addresses.map(({ type, address }) => JSON.stringify([type, address])));
  const fixed = (path: string, name: string): FieldError =>
    forbiddenField(path, `node updates may not change ${name} except from "" to valid`);
  return [
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateAmounts(status),
    ...validateFeatures(status.declaredFeatures ?? []),
    ...addresses.flatMap((address, index) =>
      repeatedAddresses.has(index)
        ? [duplicate(`status.addresses[${index}]`, goValue(address, 'core.v1.NodeAddress'))]
        : [],
    ),
    ...Array<FieldError>(changes).fill(fixed('spec.podCIDRs', 'podCIDR')),
    ...(providerID !== '' && spec.providerID !== providerID ? [fixed('spec.providerID', 'providerID')] : []),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...((spec.externalID ?? '') === externalID
      ? []
      : [forbiddenField('spec.externalID', 'may not be updated')]),
  ];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
/** Where taints were before they had a field. */
const taintsPath = 'metadata.taints';

function validateTaints(taints: readonly Taint[], path: string): FieldError[] {
  const repeated = repeatedIn(taints.map(({ key, effect }) => JSON.stringify([key, effect])));
  return taints.flatMap((taint, index) => {
    const at = `${path}[${index}]`;
    const { key, value = '', effect } = taint;
    const ofValue = labelValueProblems(value);
    return [
      ...qualifiedNameProblems(key).map((problem) => invalid(`${at}.key`, key, problem)),
      ...(ofValue.length === 0 ? [] : [invalid(`${at}.value`, value, ofValue.join(';'))]),
      ...(effect === '' ? [required(`${at}.effect`)] : []),
      ...(effect === '' || effects.includes(effect) ? [] : [notSupported(`${at}.effect`, effect, effects)]),
      ...(repeated.has(index) ? [duplicateTaint(at, taint)] : []),
    ];
  });
}

function duplicateTaint(at: string, taint: JsonObject): FieldError {
  const { message, ...error } = duplicate(at, goValue(taint, 'core.v1.Taint'));
  return { ...error, message: `${message}: taints must be unique by key and effect pair` };
}

const path = 'metadata.annotations';
const annotation = {
  taints: 'scheduler.alpha.kubernetes.io/taints',
  avoidedPods: 'scheduler.alpha.kubernetes.io/preferAvoidPods',
} as const;

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const { [annotation.taints]: taints = '', [annotation.avoidedPods]: avoided = '' } = annotations;
  return [
    ...(taints === ''
      ? []
      : validateAnnotation(taints, path, annotation.taints, (value) => {
          if (!Array.isArray(value) && value !== null) {
            throw new TypeError(
              `json: cannot unmarshal ${nameOfType(value)} into Go value of type []core.Taint`,
            );
          }
          const struct = 'core.v1.Taint';
          const list = (value ?? []).map((each) => decodeStruct(struct, namedAsInJson(struct, each)).value);
          return validateTaints(list as Taint[], `${path}.${annotation.taints}`);
        })),
    ...(avoided === ''
      ? []
      : validateAnnotation(avoided, `${path}.AvoidPods`, annotation.avoidedPods, (value) =>
          validateAvoidedPods(isObject(value) ? value : {}),
        )),
  ];
}

function validateAnnotation(
  text: string,
  at: string,
  name: string,
  validate: (value: Json) => FieldError[],
): FieldError[] {
  try {
    return validate(JSON.parse(text) as Json);
  } catch (error) {
    const problem = error instanceof Error ? error.message : '';
    return [invalid(at, name, problem.charAt(0).toLowerCase() + problem.slice(1))];
  }
}

const nameOfType = (value: Json): string => (typeof value === 'boolean' ? 'bool' : typeof value);

function validateAvoidedPods({ preferAvoidPods }: JsonObject): FieldError[] {
  const entries = Array.isArray(preferAvoidPods) ? preferAvoidPods : [];
  return entries.flatMap((entry, index) => {
    const at = `${path}.${annotation.avoidedPods}[${index}].PodSignature`;
    const signature = isObject(entry) ? entry['podSignature'] : undefined;
    const controller = isObject(signature) ? signature['podController'] : undefined;
    if (!isObject(controller)) {
      return [required(at)];
    }
    return controller['controller'] === true
      ? []
      : [invalid(`${at}.PodController.Controller`, false, 'must point to a controller')];
  });
}

function validateAmounts(status: Node['status']): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((field) =>
    Object.entries(status[field] ?? {}).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `status.${field}.${name}`),
    ),
  );
}

const longestFeature = 253;
const featurePattern = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function validateFeatures(features: readonly string[]): FieldError[] {
  return features.flatMap((feature, index) => {
    const next = features[index + 1];
    const at = (position: number): string => `status.declaredFeatures[${position}]`;
    const problem = problemOfFeature(feature);
    return [
      ...(problem === undefined
        ? []
        : [invalid(at(index), feature, `invalid feature name ${JSON.stringify(feature)}: ${problem}`)]),
      ...(next === feature ? [duplicate(at(index + 1), next)] : []),
      ...(next !== undefined && feature > next
        ? [invalid(at(index + 1), next, 'list must be sorted alphabetically')]
        : []),
    ];
  });
}

function problemOfFeature(name: string): string | undefined {
  if (Buffer.byteLength(name) > longestFeature) {
    return `must be no more than ${longestFeature} characters`;
  }
  return featurePattern.test(name)
    ? undefined
    : "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function validateRanges(ranges: readonly string[]): FieldError[] {
  const at = 'spec.podCIDRs';
  const unread = ranges.findIndex((range) => !isNetwork(range));
  const families = new Set(ranges.map((range) => range.includes(':')));
  const isPair = ranges.length === 2 && families.size === 2 && unread === -1;
  return [
    ...ranges.flatMap((range, index) => validateNetwork(range, `${at}[${index}]`)),
    ...(ranges.length > 1 && unread !== -1
      ? [
          internalFieldError(
            at,
            `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${unread}]: <nil> (invalid CIDR address: ${ranges[unread] ?? ''})`,
          ),
        ]
      : []),
    ...(ranges.length > 1 && !isPair
      ? [invalid(at, [...ranges], 'may specify no more than one CIDR for each IP family')]
      : []),
  ];
}
