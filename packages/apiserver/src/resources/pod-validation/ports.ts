import { append } from '../../meta/append.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { validatePort } from '../numbers.ts';

/* Validates the ports of containers. */

export interface ContainerPort extends JsonObject {
  name?: string;
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

interface WithPorts {
  readonly ports?: readonly ContainerPort[];
}

const protocols = ['SCTP', 'TCP', 'UDP'];
const longestName = 15;

/** The errors of a port name (IANA_SVC_NAME). */
export function portNameProblems(name: string): string[] {
  return [
    ...(name.length > longestName ? [`must be no more than ${longestName} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

export function validatePorts(ports: readonly ContainerPort[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort, hostPort = 0, protocol = '' }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') {
      const problems = portNameProblems(name);
      append(
        errors,
        problems.map((problem) => invalid(`${at}.name`, name, problem)),
      );
      if (names.has(name)) {
        errors.push(duplicate(`${at}.name`, name));
      }
      if (problems.length === 0) {
        names.add(name);
      }
    }
    append(errors, [
      ...(containerPort === 0
        ? [required(`${at}.containerPort`)]
        : validatePort(containerPort, `${at}.containerPort`)),
      ...(hostPort === 0 ? [] : validatePort(hostPort, `${at}.hostPort`)),
    ]);
    if (!protocols.includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    }
    return errors;
  });
}

/** For containers that run at the same time: each host port can be used once. */
export function validateHostPorts(containers: readonly WithPorts[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = '' }, position) => {
      if (hostPort === 0) {
        return [];
      }
      const port = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = taken.has(port);
      taken.add(port);
      return isTaken ? [duplicate(`${path}[${index}].ports[${position}].hostPort`, port)] : [];
    }),
  );
}

/**
 * For pods in the host's network, whose container ports are host ports. A template may leave the host ports
 * out.
 */
export function validatePortsOnHost(
  containers: readonly WithPorts[],
  isPod: boolean,
  path: string,
): FieldError[] {
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, position) =>
      hostPort !== containerPort && (isPod || hostPort !== 0)
        ? [
            invalid(
              `${path}[${index}].ports[${position}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  );
}
