import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { notNegative, validatePort } from '../numbers.ts';
import { portNameProblems } from './ports.ts';

/* Validates probes and lifecycle hooks. */

interface HttpRequest extends JsonObject {
  path?: string;
  port: string | number;
  scheme?: string;
  httpHeaders?: { name: string; value: string }[];
}

export interface Handler extends JsonObject {
  exec?: { command?: string[] };
  httpGet?: HttpRequest;
  tcpSocket?: { port: string | number };
  grpc?: { port: number; service?: string };
  sleep?: { seconds: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

/** The probes and hooks of a container. */
export interface Probed {
  readonly lifecycle?: { postStart?: Handler; preStop?: Handler };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

const schemes = ['HTTP', 'HTTPS'];
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

/** @param gracePeriod of the pod, in seconds */
export function validateProbes(container: Probed, gracePeriod: number, path: string): FieldError[] {
  const { lifecycle } = container;
  return [
    ...(['postStart', 'preStop'] as const).flatMap((hook) => {
      const handler = lifecycle?.[hook];
      return handler === undefined ? [] : validateHandler(handler, gracePeriod, `${path}.lifecycle.${hook}`);
    }),
    ...(['livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((kind) => {
      const probe = container[kind];
      return probe === undefined ? [] : validateProbe(kind, probe, gracePeriod, `${path}.${kind}`);
    }),
  ];
}

function validateProbe(
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  probe: Probe,
  gracePeriod: number,
  at: string,
): FieldError[] {
  const errors = [
    ...validateHandler(probe, gracePeriod, at),
    ...notNegative(probe, at, [
      'initialDelaySeconds',
      'timeoutSeconds',
      'periodSeconds',
      'successThreshold',
      'failureThreshold',
    ]),
  ];
  const { terminationGracePeriodSeconds: period, successThreshold } = probe;
  if (period !== undefined && period <= 0) {
    errors.push(invalid(`${at}.terminationGracePeriodSeconds`, period, 'must be greater than 0'));
  }
  if (kind === 'readinessProbe') {
    if (period !== undefined) {
      const problem = 'must not be set for readinessProbes';
      errors.push(invalid(`${at}.terminationGracePeriodSeconds`, period, problem));
    }
  } else if (successThreshold !== 1) {
    errors.push(invalid(`${at}.successThreshold`, successThreshold, 'must be 1'));
  }
  return errors;
}

function validateHandler(handler: Handler, gracePeriod: number, at: string): FieldError[] {
  const [first, ...others] = handlers.filter((name) => handler[name] !== undefined);
  return first === undefined
    ? [required(at, 'must specify a handler type')]
    : [
        ...validateAction(first, handler, gracePeriod, `${at}.${first}`),
        ...others.map((name) => forbiddenField(`${at}.${name}`, 'may not specify more than 1 handler type')),
      ];
}

function validateAction(
  name: (typeof handlers)[number],
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  gracePeriod: number,
  at: string,
): FieldError[] {
  switch (name) {
    case 'exec':
      return (exec?.command ?? []).length === 0 ? [required(`${at}.command`)] : [];
    case 'httpGet':
      return httpGet === undefined ? [] : validateHttpRequest(httpGet, at);
    case 'tcpSocket':
      return validatePortOrName(tcpSocket?.port ?? 0, `${at}.port`);
    case 'grpc':
      return validatePort(grpc?.port, `${at}.port`);
    case 'sleep': {
      const { seconds = 0 } = sleep ?? {};
      const problem = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
      return seconds < 0 || seconds > gracePeriod ? [invalid(at, seconds, problem)] : [];
    }
  }
}

function validateHttpRequest(
  { path = '', port, scheme = '', httpHeaders = [] }: HttpRequest,
  at: string,
): FieldError[] {
  const problem =
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
  return [
    ...(path === '' ? [required(`${at}.path`)] : []),
    ...validatePortOrName(port, `${at}.port`),
    ...(schemes.includes(scheme) ? [] : [notSupported(`${at}.scheme`, scheme, schemes)]),
    ...httpHeaders.flatMap(({ name }) =>
      /^[-A-Za-z0-9]+$/.test(name) ? [] : [invalid(`${at}.httpHeaders`, name, problem)],
    ),
  ];
}

function validatePortOrName(port: string | number, at: string): FieldError[] {
  return typeof port === 'number'
    ? validatePort(port, at)
    : portNameProblems(port).map((problem) => invalid(at, port, problem));
}
