import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCommandLine, type Command } from '../../src/flags/command-line.ts';
import { choiceFlag, numberFlag, textFlag, type FlagTable } from '../../src/flags/flags.ts';
import { runtimeFlags } from '../../src/flags/runtime-flags.ts';
import { serviceVariables } from '../../src/flags/service-variables.ts';

interface Port {
  readonly port: number;
  readonly name?: string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

/** The variables as the kubelet makes them (pkg/kubelet/envvars). */
function variablesOf(service: string, host: string, ports: readonly Port[]): Record<string, string> {
  const prefix = service.toUpperCase().replaceAll('-', '_');
  const joined = host.includes(':') ? `[${host}]` : host;
  const linkOf = ({ port, protocol = 'TCP' }: Port): string =>
    `${protocol.toLowerCase()}://${joined}:${String(port)}`;
  const [first] = ports;
  const variables: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: host,
    [`${prefix}_SERVICE_PORT`]: String(first?.port),
    [`${prefix}_PORT`]: first === undefined ? '' : linkOf(first),
  };
  for (const port of ports) {
    const { protocol = 'TCP', name } = port;
    const one = `${prefix}_PORT_${String(port.port)}_${protocol}`;
    if (name !== undefined) {
      variables[`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`] = String(port.port);
    }
    variables[one] = linkOf(port);
    variables[`${one}_PROTO`] = protocol.toLowerCase();
    variables[`${one}_PORT`] = String(port.port);
    variables[`${one}_ADDR`] = host;
  }
  return variables;
}

const flags = {
  ...runtimeFlags('acme-sites', {}),
  mode: choiceFlag({ description: '', default: 'act' }, ['act', 'observe']),
  port: numberFlag({ description: '', default: '1' }, { min: 1, integer: true }),
  ports: textFlag({ description: '', default: 'none' }),
  servicePort: numberFlag({ description: '', default: '1' }, { min: 1, integer: true }),
  serviceHost: textFlag({ description: '', default: 'none' }),
  servicePortHttps: textFlag({ description: '', default: 'none' }),
  metricsPort: textFlag({ description: '', default: 'none' }),
  port443TcpAddr: textFlag({ description: '', default: 'none' }),
} satisfies FlagTable;
const command: Command<typeof flags> = {
  name: 'acme-sites',
  version: '1.2.3',
  description: 'Keeps sites.',
  flags,
};
const textsOf = (env: Readonly<Record<string, string>>): unknown => {
  const line = parseCommandLine(command, [], env);
  return line.kind === 'run' ? line.texts : undefined;
};

describe("variables that Kubernetes sets for Services of the pod's namespace", () => {
  const hosts = ['10.0.0.1', 'fd00::1'];
  const names = Object.keys(flags).map((key) =>
    key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const services = [
    ...[
      'acme',
      'acme-site',
      'acme-sites',
      'acmesites',
      'acme-sites-node',
      'acme-sites-metrics',
      'acme-sites-port',
    ],
    ...names.flatMap((name) => [`acme-sites-${name}`, `acme-sites${name}`, name]),
  ];

  test('Services named like the program and its flags -> no flag is set, and none is refused', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...services), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...hosts),
        fc.uniqueArray(
          fc.record({
            port: fc.constantFrom(80, 443, 8080),
            name: fc.constantFrom('https', 'http-2', 'service-host'),
            protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
          }),
          { minLength: 1, maxLength: 2 },
        ),
        (some, host, ports) => {
          const env = Object.assign(
            {},
            ...some.map((service) => variablesOf(service, host, ports)),
          ) as Record<string, string>;
          expect([...serviceVariables(env)].sort()).toEqual(Object.keys(env).sort());
          expect(textsOf(env)).toEqual(textsOf({}));
        },
      ),
      { numRuns: 30 },
    );
  });

  test.each([
    ['ACME_SITES_PORT', '8080', 'port'],
    ['ACME_SITES_SERVICE_PORT', '8443', 'service-port'],
    ['ACME_SITES_SERVICE_HOST', 'shop.example', 'service-host'],
    ['ACME_SITES_METRICS_PORT', '9090', 'metrics-port'],
    ['ACME_SITES_METRICS_PORT', 'udp://10.0.0.9:514', 'metrics-port'],
    ['ACME_SITES_SERVICE_PORT_HTTPS', 'tcp://10.0.0.9:443', 'service-port-https'],
  ])('%s=%s set by hand, beside such a Service -> sets its flag', (variable, text, flag) => {
    const env = variablesOf('acme-sites', '10.0.0.1', [{ port: 443, name: 'https' }]);
    expect(textsOf({ ...env, [variable]: text })).toMatchObject({ [flag]: text });
  });

  test.each([
    ['ACME_SITES_SERVICE_HOST', '10.0.0.1', 'service-host'],
    ['ACME_SITES_METRICS_PORT', 'udp://10.0.0.9:514', 'metrics-port'],
    ['ACME_SITES_METRICS_PORT', 'tcp://collector.example:514', 'metrics-port'],
  ])('%s=%s, and no such Service -> sets its flag', (variable, text, flag) => {
    expect(textsOf({ [variable]: text })).toMatchObject({ [flag]: text });
  });

  test('address of another server by hand, beside a Service of that name -> sets its flag', () => {
    const env = variablesOf('acme-sites-metrics', '10.0.0.1', [{ port: 443, name: 'https' }]);
    const text = 'tcp://10.0.0.9:443';
    expect(textsOf({ ...env, ACME_SITES_METRICS_PORT: text })).toMatchObject({ 'metrics-port': text });
  });
});

describe('variable one letter from that of a flag with a name of four', () => {
  test.each(['ACME_SITES_NODE', 'ACME_SITES_CODE', 'ACME_SITES_MODEL'])(
    '%s, with a value that the flag does not take -> ignored',
    (variable) => {
      expect(textsOf({ [variable]: 'worker-1' })).toEqual(textsOf({}));
    },
  );

  test.each(['ACME_SITES_NODE', 'ACME_SITES_MDOE', 'ACME_SITES_MOD', 'ACME_SITES_MODEE'])(
    '%s, with a value of the flag -> refused',
    (variable) => {
      expect(() => textsOf({ [variable]: 'observe' })).toThrow(
        `${variable} sets no flag (is it ACME_SITES_MODE?)`,
      );
    },
  );
});
