/**
 * The value of `NAME_PORT_443_TCP`, and of `NAME_PORT` for the first port: `tcp://10.0.0.1:443`, `tcp://[fd00::1]:443`.
 */
const linkValue = /^(tcp|udp|sctp):\/\/(.+):(\d+)$/;
const linkName = /^(.+?)_PORT_(\d+)_(TCP|UDP|SCTP)$/;

interface Service {
  readonly hosts: Set<string>;
  readonly ports: Set<string>;
  readonly links: Set<string>;
}

/**
 * Returns the names of the variables that Kubernetes has set in the pod for the Services of its namespace. A program
 * must not take them for its own: a Service `acme-sites` sets `ACME_SITES_PORT` and `ACME_SITES_SERVICE_PORT`, which
 * can be those of the flags `--port` and `--service-port`.
 *
 * The values tell them from what somebody has set under such a name, which Kubernetes leaves as it is. A Service has a
 * variable for each of its ports, and the others repeat these.
 */
export function serviceVariables(env: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  const services = new Map<string, Service>();
  for (const [variable, value = ''] of Object.entries(env)) {
    const [, name, ...named] = linkName.exec(variable) ?? [];
    const [, protocol = '', host, port] = linkValue.exec(value) ?? [];
    const isLink = named.join() === [port, protocol.toUpperCase()].join();
    if (name !== undefined && host !== undefined && port !== undefined && isLink) {
      const service = services.get(name) ?? { hosts: new Set(), ports: new Set(), links: new Set() };
      service.hosts.add(host.replace(/^\[(.*)\]$/, '$1'));
      service.ports.add(port);
      service.links.add(value);
      services.set(name, service);
    }
  }
  const found = new Set<string>();
  for (const [variable, value = ''] of services.size === 0 ? [] : Object.entries(env)) {
    if (partings(variable).some(([name, part]) => isSet(part, value, services.get(name)))) {
      found.add(variable);
    }
  }
  return found;
}

/** A Service can itself be named `...-port`, so that more than one parting of a name is possible. */
function partings(variable: string): readonly (readonly [name: string, part: string])[] {
  return Array.from(
    variable.matchAll(/_(?=(?:SERVICE_(?:HOST|PORT)|PORT)(?:_|$))/g),
    ({ index }) => [variable.slice(0, index), variable.slice(index + 1)] as const,
  );
}

function isSet(part: string, value: string, service: Service | undefined): boolean {
  if (service === undefined) {
    return false;
  }
  const { hosts, ports, links } = service;
  if (part === 'SERVICE_HOST' || /^PORT_\d+_(TCP|UDP|SCTP)_ADDR$/.test(part)) {
    return hosts.has(value);
  }
  if (/^SERVICE_PORT(_.+)?$/.test(part) || /^PORT_\d+_(TCP|UDP|SCTP)_PORT$/.test(part)) {
    return ports.has(value);
  }
  if (/^PORT_\d+_(TCP|UDP|SCTP)_PROTO$/.test(part)) {
    return /^(tcp|udp|sctp)$/.test(value);
  }
  return /^PORT(_\d+_(TCP|UDP|SCTP))?$/.test(part) && links.has(value);
}
