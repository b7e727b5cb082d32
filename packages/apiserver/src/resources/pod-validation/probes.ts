import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { notNegative, validatePort } from '../numbers.ts';
import { portNameProblems } from './ports.ts';

/* What a kubelet asks and tells containers: probes and hooks of their life. */

export interface Handler extends JsonObject {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port: string | number; scheme?: string };
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

const schemes = ['HTTP', 'HTTPS'];
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

export function validateProbe(
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  probe: Probe | undefined,
  path: string,
): FieldError[] {
  if (probe === undefined) {
    return [];
  }
  const at = `${path}.${kind}`;
  const errors = [
    ...validateHandler(probe, at),
    ...notNegative(probe, at, [
      'initialDelaySeconds',
      'timeoutSeconds',
      'periodSeconds',
      'successThreshold',
      'failureThreshold',
    ]),
  ];
  const { terminationGracePeriodSeconds: period, successThreshold } = probe;
  if (kind === 'readinessProbe') {
    if (period !== undefined) {
      const problem = 'must not be set for readinessProbes';
      errors.push(invalid(`${at}.terminationGracePeriodSeconds`, period, problem));
    }
  } else {
    if (period !== undefined && period <= 0) {
      errors.push(invalid(`${at}.terminationGracePeriodSeconds`, period, 'must be greater than 0'));
    }
    if (successThreshold !== 1) {
      errors.push(invalid(`${at}.successThreshold`, successThreshold, 'must be 1'));
    }
  }
  return errors;
}

export function validateHandler(handler: Handler, at: string): FieldError[] {
  const [first, ...others] = handlers.filter((name) => handler[name] !== undefined);
  if (first === undefined) {
    return [required(at, 'must specify a handler type')];
  }
  const errors = others.map((name) =>
    forbiddenField(`${at}.${name}`, 'may not specify more than 1 handler type'),
  );
  const { exec, httpGet, tcpSocket, grpc } = handler;
  if (exec !== undefined && (exec.command ?? []).length === 0) {
    errors.push(required(`${at}.exec.command`));
  }
  if (httpGet !== undefined && first === 'httpGet') {
    const { path = '', port, scheme } = httpGet;
    if (path === '') {
      errors.push(required(`${at}.httpGet.path`));
    }
    errors.push(...validatePortOrName(port, `${at}.httpGet.port`));
    if (scheme !== undefined && !schemes.includes(scheme)) {
      errors.push(notSupported(`${at}.httpGet.scheme`, scheme, schemes));
    }
  }
  if (tcpSocket !== undefined && first === 'tcpSocket') {
    errors.push(...validatePortOrName(tcpSocket.port, `${at}.tcpSocket.port`));
  }
  if (grpc !== undefined && first === 'grpc') {
    errors.push(...validatePort(grpc.port, `${at}.grpc.port`));
  }
  return errors;
}

function validatePortOrName(port: string | number, at: string): FieldError[] {
  return typeof port === 'number'
    ? validatePort(port, at)
    : portNameProblems(port).map((problem) => invalid(at, port, problem));
}
