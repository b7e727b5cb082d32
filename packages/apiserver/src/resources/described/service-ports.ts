import { type FieldError, invalid } from '../../meta/field-error.ts';
import { type ServicePort, type ServiceSpec, isOnNodes, needsHealthCheck } from './service-spec.ts';

/* Ports of nodes by which services are reached: what clients may leave out, what is found for them, and what is given back. */

const nodePorts = { first: 30_000, count: 2768 };
/** A dry run takes none that is free, but the first that none may have. */
const firstOfDryRuns = nodePorts.first + nodePorts.count + 1;

/** Whether a port of nodes is found for each port. */
const findsPorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

const usedBy = ({ ports = [] }: ServiceSpec): number[] =>
  ports.map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0);

/** A client that does not say what was found for it means to keep it: ports are the same that have the same name. */
export function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  if (findsPorts(old) && findsPorts(spec)) {
    const sent = new Set(usedBy(spec));
    const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const before = byName.get(port.name ?? '') ?? 0;
      if ((port.nodePort ?? 0) === 0 && before !== 0 && !sent.has(before)) {
        port.nodePort = before;
      }
    }
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
}

/**
 * Finds ports of nodes where there are to be some. `others` are all services but this one.
 *
 * @returns what keeps it from having those that it names
 */
export function allocateNodePorts(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  others: readonly ServiceSpec[],
  isDryRun: boolean,
): readonly FieldError[] {
  const used = new Set(others.flatMap(usedBy));
  const errors = isOnNodes(spec) ? refuseTaken(spec.ports ?? [], used).slice(0, 1) : [];
  if (errors.length > 0) {
    return errors;
  }
  // What it gives back is free once it is written.
  const mine = new Set([...usedBy(spec), ...(old === undefined ? [] : usedBy(old))]);
  const next = (): number => {
    const found = isDryRun ? Math.max(firstOfDryRuns - 1, ...mine) + 1 : freeNodePort(used, mine);
    mine.add(found);
    return found;
  };
  for (const port of findsPorts(spec) ? (spec.ports ?? []) : []) {
    if ((port.nodePort ?? 0) === 0) {
      // Of a new service, a port that is there for two protocols is one on the nodes.
      const same =
        old === undefined ? spec.ports?.find((one) => one.port === port.port && one.nodePort) : undefined;
      port.nodePort = same?.nodePort ?? next();
    }
  }
  if (needsHealthCheck(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec.healthCheckNodePort = next();
  }
  return [];
}

function refuseTaken(ports: readonly ServicePort[], used: ReadonlySet<number>): FieldError[] {
  const { first, count } = nodePorts;
  return ports.flatMap(({ nodePort = 0 }, index) => {
    const at = `spec.ports[${index}].nodePort`;
    if (nodePort === 0) {
      return [];
    }
    if (nodePort < first || nodePort >= first + count) {
      const problem = `provided port is not in the valid range. The range of valid ports is ${first}-${first + count - 1}`;
      return [invalid(at, nodePort, problem)];
    }
    return used.has(nodePort) ? [invalid(at, nodePort, 'provided port is already allocated')] : [];
  });
}

function freeNodePort(used: ReadonlySet<number>, mine: ReadonlySet<number>): number {
  for (let port = nodePorts.first; port < nodePorts.first + nodePorts.count; port++) {
    if (!used.has(port) && !mine.has(port)) {
      return port;
    }
  }
  throw new Error('no port of nodes is left: delete services of type NodePort or LoadBalancer');
}

/** A service that is on nodes no longer gives its ports back, unless the client has changed them as well, to be refused. */
export function dropNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const before = new Set(usedBy(old));
  if (isOnNodes(old) && !isOnNodes(spec) && usedBy(spec).every((port) => before.has(port))) {
    for (const port of spec.ports ?? []) {
      delete port.nodePort;
    }
  }
  if (
    needsHealthCheck(old) &&
    !needsHealthCheck(spec) &&
    spec.healthCheckNodePort === old.healthCheckNodePort
  ) {
    delete spec.healthCheckNodePort;
  }
}
