import { type FieldError, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { validatePort } from '../numbers.ts';

/* The ports of a container. */

interface ContainerPort extends JsonObject {
  name?: string;
  containerPort: number;
  hostPort?: number;
  protocol?: string;
}

const protocols = ['SCTP', 'TCP', 'UDP'];
const longestName = 15;

/** What is wrong with the name of a port (IANA_SVC_NAME). */
export function portNameProblems(name: string): string[] {
  return [
    ...(name.length > longestName ? [`must be no more than ${longestName} characters`] : []),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/i.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

export function validatePorts(
  ports: readonly ContainerPort[],
  isOnHost: boolean,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort, hostPort = 0, protocol }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') {
      errors.push(...portNameProblems(name).map((problem) => invalid(`${at}.name`, name, problem)));
      if (names.has(name)) {
        errors.push(duplicate(`${at}.name`, name));
      }
      names.add(name);
    }
    errors.push(
      ...(containerPort === 0
        ? [required(`${at}.containerPort`)]
        : validatePort(containerPort, `${at}.containerPort`)),
      ...(hostPort === 0 ? [] : validatePort(hostPort, `${at}.hostPort`)),
    );
    if (isOnHost && hostPort !== 0 && hostPort !== containerPort && errors.length === 0) {
      const problem = 'must match `containerPort` when `hostNetwork` is true';
      errors.push(invalid(`${at}.hostPort`, hostPort, problem));
    }
    if (protocol !== undefined && !protocols.includes(protocol)) {
      errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    }
    return errors;
  });
}
