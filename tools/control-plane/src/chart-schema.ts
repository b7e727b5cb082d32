import type { AppHelp, HelpFlag } from './app-help.ts';

/*
 * Builds values.schema.json of the chart. The schema refuses values that the chart does not know, and gates
 * and flags that a controller does not have; these come from the controllers' own --help.
 */

/** A JSON schema, draft 7, limited to what is used here. */
interface Schema {
  readonly [keyword: string]: unknown;
}

const text: Schema = { type: 'string' };
const boolean: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', minimum: 0 };
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const texts: Schema = { type: 'object', additionalProperties: text };
/** Parts of a pod or of a policy, which Kubernetes validates itself. */
const ofKubernetes: Schema = { type: 'object' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const strict = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const described = (description: string, schema: Schema): Schema => ({ description, ...schema });

/** A DNS label, as the end of a name. */
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const namespaceName: Schema = { type: 'string', maxLength: 63, pattern: `^${label}$` };
const absolutePath: Schema = { type: 'string', pattern: '^/+[^/]' };

/** Flags that the chart sets by values of their own, or that make no sense in a pod. */
const ofTheChart: ReadonlySet<string> = new Set([
  ...['kubeconfig', 'context', 'insecure-http', 'config'],
  ...['namespaces', 'feature-gates', 'uninstall'],
  ...['leader-elect-resource-name', 'leader-elect-resource-namespace'],
  ...['metrics-bind-address', 'metrics-secure', 'health-probe-bind-address'],
  ...['webhook-bind-address', 'webhook-cert-dir', 'webhook-self-signed', 'webhook-service-name'],
  ...['webhook-secret-name', 'webhook-namespace', 'webhook-configuration-name', 'webhook-client-ca'],
  ...['csi-address', 'host-path-root', 'workloads'],
]);

const ofPlaceholder = ({ placeholder }: HelpFlag): Schema => {
  switch (placeholder) {
    case 'BOOL':
      return boolean;
    case 'N':
      return { type: 'integer' };
    case 'DURATION':
      // The templates refuse invalid durations, with a message that says what to write. A validator would
      // only show a pattern, or report that 15 is no string.
      return { examples: ['15s', '1m30s'] };
    case 'LEVEL':
      return { enum: ['trace', 'debug', 'info', 'warn', 'error'] };
    case 'FORMAT':
      return { enum: ['json', 'pretty'] };
    case 'MODE':
      return { enum: ['guard', 'reclaim'] };
    default:
      return { type: 'string', minLength: 1 };
  }
};

/** Returns the names of the flags whose value is a duration. */
export function durationFlags(helps: Helps): readonly string[] {
  const names = [
    helps.pvcProtection,
    helps.retroactiveDefaultSc,
    helps.statefulsetPvcRetention,
    helps.pvReclaimHonor,
  ]
    .flatMap(({ flags }) => flags)
    .filter(({ name, placeholder }) => placeholder === 'DURATION' && !ofTheChart.has(name))
    .map(({ name }) => name);
  return [...new Set(names)].toSorted();
}

const flagsOf = (flags: readonly HelpFlag[]): Schema =>
  strict(
    Object.fromEntries(
      flags
        .filter(({ name }) => !ofTheChart.has(name))
        .map((flag) => [flag.name, described(flag.description, ofPlaceholder(flag))]),
    ),
  );

const gatesOf = ({ gates }: AppHelp): Schema =>
  strict(
    Object.fromEntries(
      gates.map((gate) => [
        gate.name,
        described(`${gate.description} (${gate.stage}, default ${gate.default})`, boolean),
      ]),
    ),
  );

/** The values that each installation can set for itself. */
const ofAnInstallation = {
  replicas: count,
  resources: ofKubernetes,
  nodeSelector: texts,
  tolerations: listOf(ofKubernetes),
  affinity: ofKubernetes,
  podLabels: texts,
  podAnnotations: texts,
  serviceAccountAnnotations: texts,
} as const;

/** The controllers, by the names of their sections in the values. */
export interface Helps {
  readonly pvcProtection: AppHelp;
  readonly retroactiveDefaultSc: AppHelp;
  readonly statefulsetPvcRetention: AppHelp;
  readonly pvReclaimHonor: AppHelp;
}

export function chartSchema(helps: Helps): Schema {
  const ofAController = (help: AppHelp): Readonly<Record<string, Schema>> => ({
    image: strict({ tag: { type: 'string', minLength: 1 } }),
    ...ofAnInstallation,
    gates: gatesOf(help),
    flags: flagsOf(help.flags),
  });
  // What all four controllers have under the same name.
  const all: readonly AppHelp[] = [
    helps.pvcProtection,
    helps.retroactiveDefaultSc,
    helps.statefulsetPvcRetention,
    helps.pvReclaimHonor,
  ];
  const common = helps.retroactiveDefaultSc.flags.filter(({ name }) =>
    all.every(({ flags }) => flags.some((flag) => flag.name === name)),
  );
  const priorityClass = strict({ create: boolean, value: { type: 'integer' }, name: text });
  const peers = listOf(ofKubernetes);

  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart holdfast',
    ...strict({
      // The values of a chart that depends on this one.
      global: ofKubernetes,
      image: strict({
        registry: { type: 'string', minLength: 1 },
        tag: text,
        pullPolicy: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
        pullSecrets: listOf(strict({ name: text }, ['name'])),
      }),
      nameSuffix: { type: 'string', maxLength: 20, pattern: `^(-${label})?$` },
      commonLabels: texts,
      namespaces: { ...listOf(namespaceName), uniqueItems: true },
      networkPolicy: strict({
        enabled: boolean,
        apiServer: strict({ ports: { ...listOf(port), minItems: 1 }, to: peers }),
        webhook: strict({ from: peers }),
        metrics: strict({ from: peers }),
      }),
      priorityClass,
      metrics: strict({
        service: boolean,
        secure: boolean,
        serviceMonitor: strict({ enabled: boolean, labels: texts, interval: text }),
        prometheusRule: strict({
          enabled: boolean,
          labels: texts,
          runbooks: { type: 'string', pattern: '^[^\\s"\'#][^\\s"\']*$' },
        }),
        dashboards: strict({ enabled: boolean, labels: texts, annotations: texts }),
      }),
      policies: strict({ enabled: boolean, deletionProtection: boolean }),
      defaults: strict({ ...ofAnInstallation, flags: flagsOf(common) }),
      pvcProtection: strict({
        enabled: boolean,
        ...ofAController(helps.pvcProtection),
        leave: boolean,
        webhook: strict({
          enabled: boolean,
          certManager: strict({
            enabled: boolean,
            issuerRef: strict({ name: text, kind: text, group: text }),
          }),
        }),
      }),
      retroactiveDefaultSc: strict({ enabled: boolean, ...ofAController(helps.retroactiveDefaultSc) }),
      statefulsetPvcRetention: strict({
        enabled: boolean,
        ...ofAController(helps.statefulsetPvcRetention),
        leave: boolean,
        workloads: {
          ...listOf({ type: 'string', pattern: '^[a-z0-9.-]+/[a-z0-9]+/[A-Z][A-Za-z0-9]*$' }),
          uniqueItems: true,
        },
      }),
      pvReclaimHonor: strict({
        enabled: boolean,
        ...ofAController(helps.pvReclaimHonor),
        leave: boolean,
        drivers: listOf({
          ...strict(
            {
              ...ofAController(helps.pvReclaimHonor),
              name: { type: 'string', maxLength: 20, pattern: `^${label}$` },
              sidecar: strict(
                {
                  container: { type: 'object', required: ['image'] },
                  volumes: listOf(ofKubernetes),
                  secret: text,
                },
                ['container'],
              ),
              standalone: strict({ hostPathRoot: absolutePath }, ['hostPathRoot']),
            },
            ['name'],
          ),
          oneOf: [{ required: ['sidecar'] }, { required: ['standalone'] }],
        }),
      }),
    }),
  };
}
