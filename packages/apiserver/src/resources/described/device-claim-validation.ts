import { selectorProblem } from '../../cel/device-environment.ts';
import { type FieldError, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import { type Json, type JsonObject, isObject } from '../../meta/json.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import {
  type DeviceToleration,
  validateAttributeName,
  validateDeviceToleration,
  validateDriverName,
  validateItems,
  validateLabel,
  validateSet,
} from './device-names.ts';

/* Validates what claims say about devices. */

export interface Selecting extends JsonObject {
  selectors?: { cel?: { expression: string } }[];
}

export interface ExactRequest extends Selecting {
  deviceClassName: string;
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
}

interface Configuration extends JsonObject {
  opaque?: { driver: string; parameters?: Json };
}

interface RequestConfiguration extends Configuration {
  requests?: string[];
}

interface Constraint extends JsonObject {
  requests?: string[];
  matchAttribute?: string;
  distinctAttribute?: string;
}

export interface DeviceRequest extends JsonObject {
  name: string;
  exactly?: ExactRequest;
  firstAvailable?: (ExactRequest & { name: string })[];
}

export interface ClaimSpec extends JsonObject {
  devices?: {
    requests?: DeviceRequest[] | null;
    constraints?: Constraint[];
    config?: RequestConfiguration[];
  };
}

const most = { requests: 32, subrequests: 8, others: 32, expression: 10 * 1024, parameters: 10 * 1024 };

export function validateClaimSpec({ devices = {} }: ClaimSpec, path: string): FieldError[] {
  const { constraints = [], config = [] } = devices;
  const requests = devices.requests ?? [];
  const names = requestNames(requests);
  const at = `${path}.devices`;
  return [
    ...validateSet(requests, most.requests, `${at}.requests`, ({ name }) => name, validateRequest),
    ...validateItems(constraints, most.others, `${at}.constraints`, (constraint, each) =>
      validateConstraint(constraint, names, each),
    ),
    ...validateItems(config, most.others, `${at}.config`, (configuration, each) =>
      validateRequestConfiguration(configuration, names, each),
    ),
  ];
}

/** The names by which the requests of a claim can be named, with those of subrequests behind a slash. */
export function requestNames(requests: readonly DeviceRequest[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((subrequest) => `${name}/${subrequest.name}`),
    ]),
  );
}

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: string): FieldError[] {
  const ofName = validateLabel(name, `${path}.name`);
  const wanted = 'exactly one of `exactly` or `firstAvailable` is required';
  if (firstAvailable.length > 0) {
    return exactly === undefined
      ? [
          ...ofName,
          ...validateSet(
            firstAvailable,
            most.subrequests,
            `${path}.firstAvailable`,
            (subrequest) => subrequest.name,
            (subrequest, at) => [
              ...validateLabel(subrequest.name, `${at}.name`),
              ...validateExactRequest(subrequest, at),
            ],
          ),
        ]
      : [...ofName, invalid(path, null, `${wanted}, but multiple fields are set`)];
  }
  return [
    ...ofName,
    ...(exactly === undefined ? [required(path, wanted)] : validateExactRequest(exactly, `${path}.exactly`)),
  ];
}

const modes = ['All', 'ExactCount'];

function validateExactRequest(request: ExactRequest, path: string): FieldError[] {
  const { deviceClassName: name, allocationMode: mode = '', count = 0, tolerations = [] } = request;
  return [
    ...(name === ''
      ? [required(`${path}.deviceClassName`)]
      : dnsSubdomain(name, false).map((problem) => invalid(`${path}.deviceClassName`, name, problem))),
    ...validateSelectors(request, path),
    ...(mode === 'All' && count !== 0
      ? [invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(mode === 'ExactCount' && count <= 0
      ? [invalid(`${path}.count`, count, 'must be greater than zero')]
      : []),
    ...(modes.includes(mode) ? [] : [notSupported(`${path}.allocationMode`, mode, modes)]),
    ...tolerations.flatMap((toleration, index) =>
      validateDeviceToleration(toleration, `${path}.tolerations[${index}]`),
    ),
  ];
}

export function validateSelectors({ selectors = [] }: Selecting, path: string): FieldError[] {
  return validateItems(selectors, most.others, `${path}.selectors`, ({ cel }, at) =>
    cel === undefined ? [required(`${at}.cel`)] : validateExpression(cel.expression, `${at}.cel.expression`),
  );
}

function validateExpression(expression: string, path: string): FieldError[] {
  if (Buffer.byteLength(expression) > most.expression) {
    return [tooLong(path, most.expression)];
  }
  const problem = selectorProblem(expression);
  return problem === undefined ? [] : [invalid(path, expression, problem)];
}

function validateConstraint(
  { requests = [], matchAttribute, distinctAttribute }: Constraint,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const ofRequests = validateRequestNames(requests, names, `${path}.requests`);
  if (matchAttribute !== undefined) {
    return [...ofRequests, ...validateFullName(matchAttribute, `${path}.matchAttribute`)];
  }
  if (distinctAttribute !== undefined) {
    return [...ofRequests, ...validateFullName(distinctAttribute, `${path}.distinctAttribute`)];
  }
  const wanted =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...ofRequests, required(path, wanted)];
}

function validateFullName(name: string, path: string): FieldError[] {
  return [
    ...validateAttributeName(name, path),
    ...(name.includes('/')
      ? []
      : [invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')]),
  ];
}

export function validateRequestConfiguration(
  configuration: RequestConfiguration,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  return [
    ...validateRequestNames(configuration.requests ?? [], names, `${path}.requests`),
    ...validateConfiguration(configuration, path),
  ];
}

function validateRequestNames(
  requests: readonly string[],
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  return validateSet(
    requests,
    most.requests,
    path,
    (name) => name,
    (name, at) => validateRequestName(name, names, at),
  );
}

/** @param names of the requests of the claim */
export function validateRequestName(name: string, names: ReadonlySet<string>, path: string): FieldError[] {
  const unknown = invalid(
    path,
    name,
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
  );
  const segments = name.split('/');
  if (segments.length > 2) {
    return [unknown];
  }
  return [
    ...segments.flatMap((segment) => validateLabel(segment, path)),
    ...(names.has(name) ? [] : [unknown]),
  ];
}

export function validateConfiguration({ opaque }: Configuration, path: string): FieldError[] {
  return opaque === undefined
    ? [required(`${path}.opaque`)]
    : [
        ...validateDriverName(opaque.driver, `${path}.opaque.driver`),
        ...validateObject(opaque.parameters, most.parameters, `${path}.opaque.parameters`),
      ];
}

/** For a value that must be an object of JSON, of a limited size. */
export function validateObject(value: Json | undefined, longest: number, path: string): FieldError[] {
  if (value === undefined || value === null) {
    return [required(path)];
  }
  if (Buffer.byteLength(JSON.stringify(value)) > longest) {
    return [tooLong(path, longest)];
  }
  return isObject(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}
