import { type FieldError, invalid } from '../../meta/field-error.ts';
import { internalError, internalErrorOccurred } from '../../meta/status-error.ts';
import { type ServiceSpec, isOnNodes, needsHealthCheck } from './service-spec.ts';

/*
 * The node ports of services: which fields clients may leave out, and how ports are allocated and released.
 */

const nodePorts = { first: 30_000, count: 2768 };
/** A dry run allocates no free port; it counts on from this number, which is above all valid ports. */
const beforeDryRuns = nodePorts.first + nodePorts.count;

/** Whether a node port is allocated for each port. */
const findsPorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

const usedBy = ({ ports = [] }: ServiceSpec): number[] =>
  ports.map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0);

/** Keeps the allocated node ports of ports that the client sends without one. Ports are matched by name. */
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
 * Allocates node ports for a service that needs some.
 *
 * @param others all services except this one
 * @returns why the service cannot have the node ports that it asks for
 * @throws StatusError for a health check port that it cannot have, or if it asks for one port twice
 */
export function allocateNodePorts(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  others: readonly ServiceSpec[],
  isDryRun: boolean,
): readonly FieldError[] {
  // Ports that the service releases become free only when it has been written.
  const used = new Set([...others, ...(old === undefined ? [] : [old])].flatMap(allUsedBy));
  const operation = startOperation(used, isDryRun);
  if (isOnNodes(spec)) {
    const error = old === undefined ? findForNew(spec, operation) : findForOld(spec, old, operation);
    if (error !== undefined) {
      return [error];
    }
  }
  if (needsHealthCheck(spec) && (old === undefined || !needsHealthCheck(old))) {
    findForHealthChecks(spec, operation);
  }
  return [];
}

const allUsedBy = (spec: ServiceSpec): number[] => [...usedBy(spec), spec.healthCheckNodePort ?? 0];

/** Allocates ports for one write. */
interface Operation {
  /** @returns why the port cannot be allocated */
  take(port: number): string | undefined;
  takeNext(): number;
}

function startOperation(used: ReadonlySet<number>, isDryRun: boolean): Operation {
  const taken = new Set<number>();
  let highest: number | undefined;
  const add = (port: number): void => {
    taken.add(port);
    highest = Math.max(port, highest ?? port);
  };
  const { first, count } = nodePorts;
  const last = first + count - 1;
  return {
    take(port) {
      if (!isDryRun && (port < first || port > last)) {
        return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
      }
      if (used.has(port) || taken.has(port)) {
        return 'provided port is already allocated';
      }
      add(port);
      return undefined;
    },
    takeNext() {
      // A dry run counts on from the ports that it has taken, whether or not they are free.
      const port = isDryRun ? (highest ?? beforeDryRuns) + 1 : freeNodePort(used, taken);
      add(port);
      return port;
    },
  };
}

const refuse = (index: number, port: number, problem: string | undefined): FieldError | undefined =>
  problem === undefined ? undefined : invalid(`spec.ports[${index}].nodePort`, port, problem);

/**
 * For a new service, the same port of two protocols gets the same node port, unless the client asks for
 * another one.
 */
function findForNew(spec: ServiceSpec, operation: Operation): FieldError | undefined {
  const ports = spec.ports ?? [];
  const found = new Map<number, number>();
  const asked = new Map(
    ports
      .filter(({ nodePort = 0 }) => nodePort !== 0)
      .toReversed()
      .map(({ port, nodePort }) => [port, nodePort]),
  );
  for (const [index, port] of ports.entries()) {
    const { nodePort = 0 } = port;
    if (nodePort === 0 && !findsPorts(spec)) {
      continue;
    }
    const same = found.get(port.port);
    const wanted = asked.get(port.port);
    if (same === undefined) {
      const error = wanted === undefined ? undefined : refuse(index, wanted, operation.take(wanted));
      if (error !== undefined) {
        return error;
      }
      port.nodePort = wanted ?? operation.takeNext();
      found.set(port.port, port.nodePort);
    } else if (nodePort === 0) {
      port.nodePort = same;
    } else if (nodePort !== same) {
      const error = refuse(index, nodePort, operation.take(nodePort));
      if (error !== undefined) {
        return error;
      }
    }
  }
  return undefined;
}

function findForOld(spec: ServiceSpec, old: ServiceSpec, operation: Operation): FieldError | undefined {
  const before = new Set(usedBy(old));
  const mine = new Set<number>();
  const pairs = new Set<string>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const { nodePort = 0, protocol = '' } = port;
    if (nodePort === 0 && !findsPorts(spec)) {
      continue;
    }
    if (nodePort === 0) {
      port.nodePort = operation.takeNext();
    } else if (!before.has(nodePort) && !mine.has(nodePort)) {
      const error = refuse(index, nodePort, operation.take(nodePort));
      if (error !== undefined) {
        return error;
      }
      mine.add(nodePort);
    }
    const pair = `{${protocol} ${port.nodePort ?? 0}}`;
    if (pairs.has(pair)) {
      throw internalError(`duplicate nodePort: ${pair}`);
    }
    pairs.add(pair);
  }
  return undefined;
}

function findForHealthChecks(spec: ServiceSpec, operation: Operation): void {
  const { healthCheckNodePort: wanted = 0 } = spec;
  if (wanted === 0) {
    spec.healthCheckNodePort = operation.takeNext();
    return;
  }
  const problem = operation.take(wanted);
  if (problem !== undefined) {
    throw internalErrorOccurred(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`);
  }
}

function freeNodePort(used: ReadonlySet<number>, taken: ReadonlySet<number>): number {
  for (let port = nodePorts.first; port < nodePorts.first + nodePorts.count; port++) {
    if (!used.has(port) && !taken.has(port)) {
      return port;
    }
  }
  throw new Error('no port of nodes is left: delete services of type NodePort or LoadBalancer');
}

/**
 * A service that needs no node ports any more releases them. If the client changed them as well, they stay,
 * and validation refuses them.
 */
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
