import {
  type FieldError,
  forbiddenField,
  invalid,
  required,
  tooLong,
  tooMany,
} from '../../meta/field-error.ts';
import { type Json, type JsonObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { isGivenEmpty } from '../../schema/decode.ts';
import { addQuantities, compareQuantities, nanosOf, wholeQuantity } from '../../schema/quantity.ts';
import { goValue } from '../go-diff.ts';
import { type NodeSelector, validateNodeSelector } from '../pod-validation/affinity.ts';
import {
  type DeviceTaint,
  validateAttributeName,
  validateBindingConditions,
  validateDeviceTaint,
  validateDriverName,
  validateItems,
  validateLabel,
  validatePoolName,
  validateSet,
} from './device-names.ts';

/* Validates the slices of the pools of devices. */

/** Where something is: at a node, or at the nodes that a selector selects, or at all. */
interface Place extends JsonObject {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

interface Policy extends JsonObject {
  default?: string | null;
  validValues?: string[];
  validRange?: { min?: string; max?: string; step?: string };
}

interface Capacity extends JsonObject {
  value: string;
  requestPolicy?: Policy;
}

interface Attribute extends JsonObject {
  int?: number;
  bool?: boolean;
  string?: string;
  version?: string;
}

interface Counted extends JsonObject {
  counters?: { [name: string]: JsonObject };
}

export interface Device extends Place {
  name: string;
  attributes?: { [name: string]: Attribute };
  capacity?: { [name: string]: Capacity };
  consumesCounters?: (Counted & { counterSet: string })[];
  taints?: DeviceTaint[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  allowMultipleAllocations?: boolean;
}

export interface ResourceSlice extends KubeObject {
  spec: {
    driver: string;
    pool: { name: string; generation: number; resourceSliceCount: number };
    devices?: Device[];
    perDeviceNodeSelection?: boolean;
    sharedCounters?: (Counted & { name: string })[];
  } & Place;
}

const most = {
  devices: 128,
  devicesWithMore: 64,
  counterSets: 8,
  counters: 32,
  consumptions: 2,
  attributes: 32,
  valueLength: 64,
  taints: 16,
  options: 10,
};
const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;

/** @param old undefined for a new slice */
export function validateResourceSlice(slice: ResourceSlice, old: ResourceSlice | undefined): FieldError[] {
  const { spec } = slice;
  const { driver, pool, devices = [], sharedCounters = [], perDeviceNodeSelection } = spec;
  const before = old?.spec;
  const hasMore = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  );
  const hasBoth =
    (spec.devices !== undefined || isGivenEmpty(spec, 'devices')) &&
    (spec.sharedCounters !== undefined || isGivenEmpty(spec, 'sharedCounters'));
  return [
    ...validateDriverName(driver, 'spec.driver'),
    ...validatePoolName(pool.name, 'spec.pool.name'),
    ...(pool.resourceSliceCount <= 0
      ? [invalid('spec.pool.resourceSliceCount', pool.resourceSliceCount, 'must be greater than zero')]
      : []),
    ...(pool.generation < 0
      ? [invalid('spec.pool.generation', pool.generation, 'must be greater than or equal to zero')]
      : []),
    ...(before === undefined
      ? []
      : [
          ...validateImmutable(pool.name, before.pool.name, 'spec.pool.name'),
          ...validateImmutable(driver, before.driver, 'spec.driver'),
          ...validateImmutable(spec.nodeName, before.nodeName, 'spec.nodeName'),
        ]),
    ...validateSlicePlace(slice),
    ...(hasBoth ? [invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
    ...validateSet(
      devices,
      hasMore ? most.devicesWithMore : most.devices,
      'spec.devices',
      ({ name }) => name,
      (device, path) =>
        validateDevice(
          device,
          before?.devices?.find(({ name }) => name === device.name),
          perDeviceNodeSelection === true,
          path,
        ),
    ),
    ...validateSet(
      sharedCounters,
      most.counterSets,
      'spec.sharedCounters',
      ({ name }) => name,
      (set, path) => validateCounters(set, 'name', set.name, path),
    ),
  ];
}

function validateSlicePlace({ spec }: ResourceSlice): FieldError[] {
  const { nodeName, nodeSelector } = spec;
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  const wanted =
    'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  const given = places.filter((place) => Boolean(spec[place]));
  return [
    ...(nodeName === ''
      ? [invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string')]
      : []),
    ...validateNodeName(nodeName, 'spec.nodeName'),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, 'spec.nodeSelector')),
    ...(nodeSelector !== undefined && terms.length !== 1
      ? [
          invalid(
            'spec.nodeSelector.nodeSelectorTerms',
            terms.length === 0 && !isGivenEmpty(nodeSelector, 'nodeSelectorTerms')
              ? null
              : terms.map((term) => goValue(term, 'core.v1.NodeSelectorTerm')),
            'must have exactly one node selector term',
          ),
        ]
      : []),
    ...(['allNodes', 'perDeviceNodeSelection'] as const).flatMap((field) =>
      spec[field] === false ? [invalid(`spec.${field}`, false, 'must be either unset or set to true')] : [],
    ),
    ...(given.length === 0 ? [required('spec', wanted)] : []),
    ...(given.length > 1 ? [invalid('spec', listed(given), `${wanted}, but multiple fields are set`)] : []),
  ];
}

const listed = (fields: readonly string[]): string => `{${fields.map((field) => `\`${field}\``).join(', ')}}`;

function validateNodeName(name = '', path: string): FieldError[] {
  return name === '' ? [] : dnsSubdomain(name, false).map((problem) => invalid(path, name, problem));
}

/** @param old the device of that name before, if there was one */
function validateDevice(
  device: Device,
  old: Device | undefined,
  hasPlace: boolean,
  path: string,
): FieldError[] {
  const { name, attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const mayShare = device.allowMultipleAllocations === true;
  return [
    ...validateLabel(name, `${path}.name`),
    ...(count > most.attributes
      ? [
          invalid(
            path,
            count,
            `the total number of attributes and capacities must not exceed ${most.attributes}`,
          ),
        ]
      : []),
    ...Object.entries(attributes).flatMap(([key, attribute]) => [
      ...validateAttributeName(key, `${path}.attributes`),
      ...validateAttribute(attribute, `${path}.attributes[${key}]`),
    ]),
    ...Object.entries(capacity).flatMap(([key, each]) => [
      ...validateAttributeName(key, `${path}.capacity`),
      ...validateCapacity(each, mayShare, `${path}.capacity[${key}].requestPolicy`),
    ]),
    ...(old !== undefined && jsonEqual(old.taints ?? [], taints)
      ? []
      : validateItems(taints, most.taints, `${path}.taints`, validateDeviceTaint)),
    ...validateSet(
      consumesCounters,
      most.consumptions,
      `${path}.consumesCounters`,
      ({ counterSet }) => counterSet,
      (consumption, at) => validateCounters(consumption, 'counterSet', consumption.counterSet, at),
    ),
    ...validatePlace(device, hasPlace, path),
    ...validateBindingConditions(device, path),
  ];
}

function validatePlace(device: Device, hasPlace: boolean, path: string): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!hasPlace) {
    return nodeName === undefined && nodeSelector === undefined && allNodes === undefined
      ? []
      : [
          invalid(
            path,
            null,
            '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
          ),
        ];
  }
  const given = (['nodeName', 'nodeSelector', 'allNodes'] as const).filter((field) => Boolean(device[field]));
  const wanted =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [
    ...(nodeName === '' ? [invalid(`${path}.nodeName`, '', 'must not be empty')] : []),
    ...validateNodeName(nodeName, `${path}.nodeName`),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, `${path}.nodeSelector`)),
    ...(allNodes === false
      ? [invalid(`${path}.allNodes`, false, 'must be either unset or set to true')]
      : []),
    ...(given.length === 0 ? [required(path, wanted)] : []),
    ...(given.length > 1 ? [invalid(path, listed(given), wanted)] : []),
  ];
}

/** @param field of the name, for its path */
function validateCounters(
  { counters = {} }: Counted,
  field: string,
  name: string,
  path: string,
): FieldError[] {
  const names = Object.keys(counters);
  const at = `${path}.counters`;
  return [
    ...(name === '' ? [required(`${path}.${field}`)] : validateLabel(name, `${path}.${field}`)),
    ...(names.length === 0 ? [required(at)] : []),
    ...(names.length > most.counters
      ? [tooMany(at, names.length, most.counters)]
      : names.flatMap((each) => validateLabel(each, at))),
  ];
}

const number = String.raw`(0|[1-9]\d*)`;
const prerelease = String.raw`(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const build = '[0-9a-zA-Z-]+';
const version = new RegExp(
  String.raw`^${number}\.${number}\.${number}(-${prerelease}(\.${prerelease})*)?(\+${build}(\.${build})*)?$`,
);

function validateAttribute(attribute: Attribute, path: string): FieldError[] {
  const given = (['bool', 'int', 'string', 'version'] as const).filter(
    (field) => attribute[field] !== undefined,
  );
  const tooLongOnes = (['string', 'version'] as const).filter(
    (field) => Buffer.byteLength(attribute[field] ?? '') > most.valueLength,
  );
  return [
    ...(tooLongOnes.includes('string') ? [tooLong(`${path}.string`, most.valueLength)] : []),
    ...(attribute.version === undefined || version.test(attribute.version)
      ? []
      : [
          invalid(
            `${path}.version`,
            attribute.version,
            'must be a string compatible with semver.org spec 2.0.0',
          ),
        ]),
    ...(tooLongOnes.includes('version') ? [tooLong(`${path}.version`, most.valueLength)] : []),
    ...(given.length === 1
      ? []
      : [
          invalid(
            path,
            given.length === 0 ? '' : goAttribute(attribute),
            'exactly one value must be specified',
          ),
        ]),
  ];
}

/** An attribute with the names of Go's fields. */
const goAttribute = ({ int, bool, string, version: text }: Attribute): Json => ({
  IntValue: int ?? null,
  BoolValue: bool ?? null,
  StringValue: string ?? null,
  VersionValue: text ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
});

function validateCapacity(
  { value, requestPolicy: policy }: Capacity,
  mayShare: boolean,
  path: string,
): FieldError[] {
  if (policy === undefined) {
    return [];
  }
  if (!mayShare) {
    return [forbiddenField(path, 'allowMultipleAllocations must be true')];
  }
  const { validValues = [], validRange, default: usual } = policy;
  if (validValues.length > 0 && validRange !== undefined) {
    return [
      forbiddenField(
        path,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  }
  if (validValues.length === 0 && validRange === undefined) {
    return [];
  }
  if (usual === undefined || usual === null) {
    const field = validRange === undefined ? 'validValues' : 'validRange';
    return [required(`${path}.default`, `required when ${field} is defined`)];
  }
  return validRange === undefined
    ? validateOptions(validValues, usual, value, `${path}.validValues`)
    : validateRange(validRange, usual, value, `${path}.validRange`);
}

function validateOptions(
  options: readonly string[],
  usual: string,
  capacity: string,
  path: string,
): FieldError[] {
  // Of too many options, none is compared with the default.
  const hasUsual =
    options.length <= most.options && options.some((option) => compareQuantities(option, usual) === 0);
  return [
    ...options.flatMap((option, index) =>
      index > 0 && compareQuantities(options[index - 1] ?? option, option) > 0
        ? [invalid(`${path}[${index}]`, option, 'values must be sorted in ascending order')]
        : [],
    ),
    ...validateSet(
      options,
      most.options,
      path,
      (option) => String(wholeValue(option)),
      (option, at) =>
        compareQuantities(option, capacity) > 0
          ? [invalid(at, option, `option is larger than capacity value: ${capacity}`)]
          : [],
    ),
    ...(hasUsual ? [] : [invalid(path, usual, 'default value is not valid according to the requestPolicy')]),
  ];
}

/** The amount, rounded up. */
const wholeValue = (quantity: string): bigint => (nanosOf(wholeQuantity(quantity)) ?? 0n) / 1_000_000_000n;

function validateRange(
  { min, max, step }: NonNullable<Policy['validRange']>,
  usual: string,
  capacity: string,
  path: string,
): FieldError[] {
  if (min === undefined) {
    return [required(`${path}.min`, 'required when validRange is defined')];
  }
  const above = (a: string, b: string): boolean => compareQuantities(a, b) > 0;
  const errors: FieldError[] = [];
  const refuse = (isWrong: boolean, field: string, value: string, problem: string): void => {
    if (isWrong) {
      errors.push(invalid(`${path}.${field}`, value, problem));
    }
  };
  refuse(above(min, capacity), 'min', min, `min is larger than capacity value: ${capacity}`);
  refuse(above(min, usual), 'min', usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    refuse(above(min, max), 'max', min, `min is larger than max: ${max}`);
    refuse(above(max, capacity), 'max', max, `max is larger than capacity value: ${capacity}`);
    refuse(above(usual, max), 'max', usual, `default is more than max: ${max}`);
  }
  if (step !== undefined) {
    const next = addQuantities(min, step);
    refuse(
      above(next, capacity),
      'step',
      step,
      `one step ${next} is larger than capacity value: ${capacity}`,
    );
    for (const value of max === undefined ? [usual] : [usual, max]) {
      const size = wholeValue(step);
      const isMultiple = size !== 0n && (wholeValue(value) - wholeValue(min)) % size === 0n;
      refuse(!isMultiple, 'step', value, `value is not a multiple of a given step (${step}) from (${min})`);
    }
  }
  return errors;
}
