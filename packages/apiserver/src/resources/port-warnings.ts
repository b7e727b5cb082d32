import type { Container, ContainerPort } from './pod-spec.ts';

/** A container with the path of its field. */
export interface PlacedContainer {
  readonly container: Container;
  readonly path: string;
}

interface PlacedPort {
  readonly port: ContainerPort;
  readonly path: string;
}

/** Conflicting ports of all containers of a pod, then port names that several containers have. */
export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const ports = containers.flatMap(({ container, path }) =>
    (container.ports ?? []).map((port, index) => ({ port, path: `${path}.ports[${index}]` })),
  );
  return [...overlaps(ports), ...sharedNames(ports)];
}

function overlaps(ports: readonly PlacedPort[]): readonly string[] {
  const warnings: string[] = [];
  const before = new Map<string, PlacedPort[]>();
  for (const placed of ports) {
    const { port, path } = placed;
    if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
      warnings.push(`${path}: hostIP set without hostPort: ${shown(port)}`);
    }
    const key = `${port.containerPort}/${port.protocol}`;
    const others = before.get(key) ?? [];
    for (const other of others) {
      const overlap = overlapOf(port, other.port);
      if (overlap !== undefined) {
        warnings.push(`${path}: ${overlap} port definition with ${other.path}`);
      }
    }
    before.set(key, [...others, placed]);
  }
  return warnings;
}

function overlapOf(a: ContainerPort, b: ContainerPort): string | undefined {
  const [port, otherPort] = [a.hostPort ?? 0, b.hostPort ?? 0];
  const [address, otherAddress] = [a.hostIP ?? '', b.hostIP ?? ''];
  if (port === otherPort && address === otherAddress) {
    return 'duplicate';
  }
  if (port === 0 || otherPort === 0) {
    return 'overlapping';
  }
  // If one of two equal ports is bound to all addresses, it is undefined which of them receives the traffic.
  if (port === otherPort && (address === '' || otherAddress === '')) {
    return 'dangerously ambiguous';
  }
  return undefined;
}

/** Formats a port as Go prints the struct. */
function shown({
  name = '',
  hostPort = 0,
  containerPort,
  protocol = '',
  hostIP = '',
}: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function sharedNames(ports: readonly PlacedPort[]): readonly string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port: { name = '' }, path }) => {
    if (name === '') {
      return [];
    }
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, path);
      return [];
    }
    return [
      `${path}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
