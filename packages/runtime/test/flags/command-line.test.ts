import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, UsageError } from '../../src/flags/command-line.ts';
import { numberFlag, textFlag, type FlagValues } from '../../src/flags/flags.ts';
import { runtimeFlags } from '../../src/flags/runtime-flags.ts';

const gates = {
  Finalizers: { stage: 'beta', default: true, since: 'v0.1', description: 'Adds finalizers.' },
  Webhook: { stage: 'alpha', default: false, since: 'v0.1', description: 'Serves a webhook.' },
} as const;

const command = {
  name: 'acme-sites',
  version: '1.2.3',
  description: 'Keeps sites.',
  flags: runtimeFlags('acme-sites', gates),
  epilogue: 'Exit codes: 0, 1, 2.',
};
type Values = FlagValues<typeof command.flags>;

function valuesOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Values {
  const line = parseCommandLine(command, argv, env);
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  return line.values;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-flags-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileOf(content: string): string {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, content);
  return path;
}

test('list given several times -> all of them, the last value of a gate; other flags -> the last', () => {
  const { featureGates, namespaces, kubeApiQps } = valuesOf([
    '--feature-gates=Webhook=true',
    '--namespaces=a',
    '--kube-api-qps=1',
    '--feature-gates=Finalizers=true',
    '--feature-gates=Finalizers=false',
    '--namespaces=b,c',
    '--kube-api-qps=2',
  ]);
  expect(featureGates.enabled('Webhook')).toBe(true);
  expect(featureGates.enabled('Finalizers')).toBe(false);
  expect(namespaces).toEqual(['a', 'b', 'c']);
  expect(kubeApiQps).toBe(2);
});

test('nothing given -> the defaults', () => {
  const { featureGates, ...values } = valuesOf([]);
  expect(values).toEqual({
    insecureHttp: false,
    namespaces: [],
    dryRun: false,
    uninstall: false,
    leaderElect: true,
    leaderElectLeaseDuration: 15_000,
    leaderElectRenewDeadline: 10_000,
    leaderElectRetryPeriod: 2_000,
    leaderElectResourceName: 'acme-sites',
    metricsBindAddress: { kind: 'listen', host: undefined, port: 8080 },
    metricsSecure: false,
    healthProbeBindAddress: { kind: 'listen', host: undefined, port: 8081 },
    concurrentSyncs: 10,
    kubeApiQps: 100,
    kubeApiBurst: 200,
    logLevel: 'info',
    logFormat: 'json',
  });
  expect([featureGates.enabled('Finalizers'), featureGates.enabled('Webhook')]).toEqual([true, false]);
});

describe('command line wins over environment, it over the file, it over the default', () => {
  const name = 'ACME_SITES_CONCURRENT_SYNCS';

  test.each([
    { argv: ['--concurrent-syncs=4'], env: { [name]: '3' }, file: '2', syncs: 4 },
    { argv: [], env: { [name]: '3' }, file: '2', syncs: 3 },
    { argv: [], env: { [name]: '' }, file: '2', syncs: 2 },
    { argv: [], env: {}, file: '2', syncs: 2 },
    { argv: [], env: {}, file: undefined, syncs: 10 },
    { argv: ['--concurrent-syncs', '4', '--concurrent-syncs', '5'], env: {}, file: '2', syncs: 5 },
  ])('$argv, $env, file $file -> $syncs', ({ argv, env, file, syncs }) => {
    const path = fileOf(file === undefined ? '' : `concurrent-syncs: ${file}\n`);
    expect(valuesOf([...argv, `--config=${path}`], env).concurrentSyncs).toBe(syncs);
  });

  test('file named in the environment -> read', () => {
    const path = fileOf('concurrent-syncs: 7');
    expect(valuesOf([], { ACME_SITES_CONFIG: path }).concurrentSyncs).toBe(7);
  });

  test('a wrong value that a better source overrides -> is not looked at', () => {
    expect(valuesOf(['--concurrent-syncs=4'], { [name]: 'many' }).concurrentSyncs).toBe(4);
  });

  test("other programs' variables -> ignored", () => {
    const others = {
      ...{ ACME_SITES_SERVICE_HOST: '10.0.0.1', ACME_SITES_RUNS: '2', ACME_NAMESPACE: 'shop' },
      ...{ ACME_SITES_WET_RUN: 'true', ACME_SITES_NAMESPACE_LIST: 'shop' },
    };
    expect(valuesOf([], others).concurrentSyncs).toBe(10);
  });

  test.each([
    ['ACME_SITES_DRYRUN', 'ACME_SITES_DRY_RUN'],
    ['ACME_SITES_NAMESPACE', 'ACME_SITES_NAMESPACES'],
    ['ACME_SITES_FEATURE_GATE', 'ACME_SITES_FEATURE_GATES'],
    ['ACME_SITES_KUBEAPI_QPS', 'ACME_SITES_KUBE_API_QPS'],
    ['ACME_SITES_CONFIGS', 'ACME_SITES_CONFIG'],
    ['acme_sites_dry_run', 'ACME_SITES_DRY_RUN'],
    ['ACME-SITES-DRY-RUN', 'ACME_SITES_DRY_RUN'],
    ['acmeSitesDryRun', 'ACME_SITES_DRY_RUN'],
    ['ACME_SITES_NAMESAPCES', 'ACME_SITES_NAMESPACES'],
    ['ACME_SITES_NAMESPCE', 'ACME_SITES_NAMESPACES'],
    ['ACME_SITES_DRY_RUNN', 'ACME_SITES_DRY_RUN'],
    ['ACME_SITES_DRY_RAN', 'ACME_SITES_DRY_RUN'],
    ['AMCE_SITES_DRY_RUN', 'ACME_SITES_DRY_RUN'],
  ])('%s, which sets no flag -> refused, naming %s', (variable, meant) => {
    const parse = (): unknown => valuesOf([], { [variable]: 'true' });
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(`${variable} sets no flag (is it ${meant}?)`);
  });

  test('Service that is named almost as a flag, whose variables Kubernetes sets -> ignored', () => {
    const flags = { port: numberFlag({ description: '', default: '1' }, { min: 1, integer: true }) };
    const env = { ACME_SITE_PORT: 'tcp://10.0.0.1:443', ACME_SITE_SERVICE_HOST: '10.0.0.1' };
    expect(parseCommandLine({ ...command, flags }, [], env)).toMatchObject({ values: { port: 1 } });
    expect(() => parseCommandLine({ ...command, flags }, [], { ACME_SITES_PROT: '2' })).toThrow(
      'is it ACME_SITES_PORT?',
    );
  });

  test('flag with a name of three letters, and a variable that differs by one -> ignored', () => {
    const flags = { ttl: textFlag({ description: '', default: 'a' }) };
    expect(parseCommandLine({ ...command, flags }, [], { ACME_SITES_TLS: 'b' })).toMatchObject({
      values: { ttl: 'a' },
    });
  });

  test('two flags that differ by a letter -> each is set by its own variable', () => {
    const flags = {
      zone: textFlag({ description: '', default: 'a' }),
      zones: textFlag({ description: '', default: 'b' }),
    };
    const env = { ACME_SITES_ZONE: 'c', ACME_SITES_ZONES: 'd' };
    expect(parseCommandLine({ ...command, flags }, [], env)).toMatchObject({
      values: { zone: 'c', zones: 'd' },
    });
  });

  test('variable by the name of the program, though its suite names them -> refused, naming that of the suite', () => {
    const inSuite = { ...command, name: 'sites', suite: 'acme' };
    const parse = (variable: string): unknown => parseCommandLine(inSuite, [], { [variable]: 'true' });
    for (const variable of ['ACME_SITES_DRY_RUN', 'ACME_SITES_DRYRUN']) {
      expect(() => parse(variable)).toThrow(`${variable} sets no flag (is it ACME_DRY_RUN?)`);
    }
    for (const variable of ['ACME_SHOPS_DRY_RUN', 'SITES_DRY_RUN']) {
      expect(parse(variable)).toMatchObject({ values: { dryRun: false } });
    }
  });

  test('variables whose names have no case, as on Windows -> one in small letters sets its flag', () => {
    const env = { acme_sites_dry_run: 'true' };
    const withoutCase = new Proxy<Readonly<Record<string, string>>>(env, {
      get: (target, name) => target[String(name).toLowerCase()],
    });
    expect(valuesOf([], withoutCase).dryRun).toBe(true);
  });

  test('misspelled variable that is empty -> ignored, as that of a flag is', () => {
    expect(valuesOf([], { ACME_SITES_DRYRUN: '' }).dryRun).toBe(false);
  });
});

describe('spellings', () => {
  test.each<{ argv: readonly string[]; expected: Partial<Values> }>([
    { argv: ['--dry-run'], expected: { dryRun: true } },
    { argv: ['--dry-run=true'], expected: { dryRun: true } },
    { argv: ['--leader-elect=false'], expected: { leaderElect: false } },
    { argv: ['--leader-elect'], expected: { leaderElect: true } },
    { argv: ['--kubeconfig', '/a/b'], expected: { kubeconfig: '/a/b' } },
    { argv: ['--kubeconfig=/a=b'], expected: { kubeconfig: '/a=b' } },
    { argv: ['--context=prod'], expected: { context: 'prod' } },
    { argv: ['--namespaces=a,b'], expected: { namespaces: ['a', 'b'] } },
    { argv: ['--namespaces=a, b,a'], expected: { namespaces: ['a', 'b'] } },
    { argv: ['--namespaces='], expected: { namespaces: [] } },
    { argv: ['--kube-api-qps=-1'], expected: { kubeApiQps: -1 } },
    { argv: ['--kube-api-qps', '-1'], expected: { kubeApiQps: -1 } },
    { argv: ['--kube-api-qps=0.5'], expected: { kubeApiQps: 0.5 } },
    { argv: ['--metrics-bind-address=0'], expected: { metricsBindAddress: { kind: 'off' } } },
    { argv: ['--leader-elect-retry-period=1m30s'], expected: { leaderElectRetryPeriod: 90_000 } },
    { argv: ['--leader-elect-resource-namespace=ops'], expected: { leaderElectResourceNamespace: 'ops' } },
    {
      argv: ['--log-level=debug', '--log-format=pretty'],
      expected: { logLevel: 'debug', logFormat: 'pretty' },
    },
  ])('$argv -> $expected', ({ argv, expected }) => {
    expect(valuesOf(argv)).toMatchObject(expected);
  });
});

describe('feature gates', () => {
  test('on the command line -> set', () => {
    const { featureGates } = valuesOf(['--feature-gates=Webhook=true,Finalizers=false']);
    expect([featureGates.enabled('Finalizers'), featureGates.enabled('Webhook')]).toEqual([false, true]);
  });

  test('in the environment -> set', () => {
    const { featureGates } = valuesOf([], { ACME_SITES_FEATURE_GATES: 'AllAlpha=true' });
    expect([featureGates.enabled('Finalizers'), featureGates.enabled('Webhook')]).toEqual([true, true]);
  });

  test('unknown in the environment -> refused, naming the variable and the gates', () => {
    const parse = (): unknown => valuesOf([], { ACME_SITES_FEATURE_GATES: 'Nothing=true' });
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(/^ACME_SITES_FEATURE_GATES: .*"Nothing".*AllAlpha, AllBeta, Finalizers, Webhook/);
  });
});

describe('config file', () => {
  test('scalars, lists and mappings -> as on the command line', () => {
    const path = fileOf(
      [
        'namespaces: [shop, ops]',
        'feature-gates:',
        '  Webhook: true',
        '  Finalizers: false',
        'metrics-bind-address: 0',
        'dry-run: true',
        'kube-api-qps: 2.5',
        'leader-elect-lease-duration: 30s',
      ].join('\n'),
    );
    const values = valuesOf(['--config', path]);
    expect(values).toMatchObject({
      namespaces: ['shop', 'ops'],
      metricsBindAddress: { kind: 'off' },
      dryRun: true,
      kubeApiQps: 2.5,
      leaderElectLeaseDuration: 30_000,
    });
    expect(values.featureGates.enabled('Webhook')).toBe(true);
    expect(values.featureGates.enabled('Finalizers')).toBe(false);
  });

  test.each(['', '# only a comment\n', '{}'])('"%s" -> the defaults', (content) => {
    expect(valuesOf(['--config', fileOf(content)]).concurrentSyncs).toBe(10);
  });

  test.each([
    { content: 'concurrent-sync: 3', message: /^concurrent-sync in .*no such flag.*--concurrent-syncs/ },
    { content: 'concurrentSyncs: 3', message: /^concurrentSyncs in .*no such flag/ },
    { content: 'concurrent-syncs: 0', message: /^concurrent-syncs in .*"0".*whole number of at least 1/ },
    { content: 'concurrent-syncs:', message: /^concurrent-syncs in .*no value/ },
    { content: 'namespaces: [shop, null]', message: /^namespaces in .*no value/ },
    { content: 'namespaces: [shop, [ops]]', message: /^namespaces in / },
    { content: 'leader-elect-lease-duration: 15', message: /"15".*duration/ },
    { content: 'config: other.yaml', message: /^config in .*no such flag/ },
    { content: '- concurrent-syncs', message: /^--config: .*mapping of flag names/ },
    {
      // Issue 17: the value is not shown.
      content: 'kubeconfig: { users: [{ user: { token: hunter2 } }] }',
      message: /^kubeconfig in \S+: a list can't be taken: expected a text, a number or true or false$/,
    },
    { content: 'just text', message: /^--config: .*mapping of flag names/ },
    { content: 'a: [', message: /^--config: .*config\.yaml can't be read/ },
    { content: 'dry-run: true\ndry-run: false', message: /^--config: .*can't be read.*dup/i },
  ])('$content -> $message', ({ content, message }) => {
    const parse = (): unknown => valuesOf(['--config', fileOf(content)]);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
  });

  test('not there, or a folder -> refused, naming the flag and the file', () => {
    expect(() => valuesOf(['--config=/nowhere/x.yaml'])).toThrow(/^--config: \/nowhere\/x\.yaml .*ENOENT/);
    expect(() => valuesOf([], { ACME_SITES_CONFIG: folder })).toThrow(/^ACME_SITES_CONFIG: .*EISDIR/);
  });
});

describe('every flag wrong once -> names the flag, the value, what is allowed', () => {
  test.each([
    ['--kubeconfig=', 'expected a text that is not empty'],
    ['--context=', 'expected a text that is not empty'],
    ['--namespaces=Shop', 'expected names separated by commas'],
    ['--namespaces=a,,b', 'expected names separated by commas'],
    ['--feature-gates=Webhook=perhaps', 'allowed are true and false'],
    ['--feature-gates=Bogus=true', `"Bogus=true" can't be taken: there is no gate "Bogus"; known gates are`],
    ['--dry-run=maybe', 'expected true or false'],
    ['--dry-run=', 'expected true or false'],
    ['--dry-run=constructor', 'expected true or false'],
    ['--leader-elect=2', 'expected true or false'],
    ['--leader-elect-lease-duration=15', 'expected a duration above zero, for example 15s'],
    ['--leader-elect-renew-deadline=0s', 'expected a duration above zero'],
    ['--leader-elect-retry-period=-1s', 'expected a duration above zero'],
    ['--leader-elect-resource-name=', 'expected a text that is not empty'],
    ['--leader-elect-resource-namespace=', 'expected a text that is not empty'],
    ['--metrics-bind-address=8080', 'expected host:port or :port'],
    ['--health-probe-bind-address=:70000', 'up to 65535'],
    ['--concurrent-syncs=0', 'expected a whole number of at least 1'],
    ['--concurrent-syncs=1.5', 'expected a whole number of at least 1'],
    ['--concurrent-syncs=', 'expected a whole number of at least 1'],
    ['--kube-api-qps=fast', 'expected a number of at least -1'],
    ['--kube-api-qps=Infinity', 'expected a number of at least -1'],
    ['--kube-api-burst=0', 'expected a whole number of at least 1'],
    ['--log-level=loud', 'expected one of trace, debug, info, warn, error'],
    ['--log-format=xml', 'expected one of json, pretty'],
  ])('%s -> %s', (argument, allowed) => {
    const [name = '', value = ''] = argument.split(/=(.*)/s);
    const parse = (): unknown => valuesOf([argument]);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(`${name}: "${value}" can't be taken: `);
    expect(parse).toThrow(allowed);
  });

  test('wrong in the environment -> names the variable', () => {
    expect(() => valuesOf([], { ACME_SITES_KUBE_API_QPS: 'fast' })).toThrow(
      /^ACME_SITES_KUBE_API_QPS: "fast" can't be taken/,
    );
  });

  test.each([
    [['--kube-api-qp', '5'], /unknown flag --kube-api-qp \(is it --kube-api-qps\?\); see --help/],
    [['--leader-elect-lease=5s'], /is it --leader-elect-lease-duration\?/],
    [['--concurrent-sync=5'], /is it --concurrent-syncs\?/],
    [['--dryrun'], /is it --dry-run\?/],
    [['--namesapces=a'], /is it --namespaces\?/],
    [['--kubeApiQPS=5'], /is it --kube-api-qps\?/],
    [['--frobnicate'], /unknown flag --frobnicate; see --help/],
    [['-x'], /unknown flag -x/],
    [['--kube-api-qps'], /--kube-api-qps needs a value/],
    [['--config'], /--config needs a value/],
    [['run'], /unexpected argument "run"/],
    [['--dry-run', 'false'], /unexpected argument "false": .*--flag=value/],
    [['--', 'run'], /unexpected argument "run"/],
  ])('%j -> %s', (argv, message) => {
    expect(() => valuesOf(argv)).toThrow(UsageError);
    expect(() => valuesOf(argv)).toThrow(message);
  });
});

describe('what is printed', () => {
  test.each([['--help'], ['-h']])(
    '%s, whatever else is wrong -> help with every flag and its default',
    (flag) => {
      const line = parseCommandLine(command, ['--kube-api-qps=fast', flag], {});
      const text = line.kind === 'print' ? line.text : '';
      for (const shown of [
        '--kubeconfig PATH',
        '--context NAME',
        '--namespaces a,b',
        '--feature-gates A=BOOL,...',
        '--dry-run[=BOOL]',
        '--leader-elect[=BOOL]',
        '--leader-elect-lease-duration DURATION',
        '--leader-elect-renew-deadline DURATION',
        '--leader-elect-retry-period DURATION',
        '--leader-elect-resource-name NAME',
        '--leader-elect-resource-namespace NAME',
        '--metrics-bind-address ADDR',
        '--health-probe-bind-address ADDR',
        '--concurrent-syncs N',
        '--kube-api-qps N',
        '--kube-api-burst N',
        '--log-level LEVEL',
        '--log-format FORMAT',
        '--config FILE',
        '--version',
        '-h, --help',
        '(default 15s)',
        '(default acme-sites)',
        'acme-sites 1.2.3: Keeps sites.',
        'Exit codes: 0, 1, 2.',
      ]) {
        expect(text).toContain(shown);
      }
    },
  );

  test('--version -> name and version', () => {
    expect(parseCommandLine(command, ['--version'], {})).toEqual({
      kind: 'print',
      text: 'acme-sites 1.2.3',
    });
  });
});
