import { type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { formatTime } from '../../schema/decode.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../meta/names.ts';
import { describedResource } from './described-resource.ts';
import { validatePort } from '../numbers.ts';
import { age, text } from './shown.ts';

/* apiregistration.k8s.io/v1. The objects are stored, but no request is passed on to another API server. */

interface ApiService extends KubeObject {
  spec: {
    service?: { name?: string; namespace?: string; port?: number };
    group?: string;
    version?: string;
    insecureSkipTLSVerify?: boolean;
    caBundle?: string;
    groupPriorityMinimum: number;
    versionPriority: number;
  };
  status: { conditions?: ({ type: string; status: string; reason?: string } & JsonObject)[] };
}

export const apiServices = describedResource({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'apiregistration.v1.APIService',
  // The only rule is that the name must consist of version and group, see below.
  nameRule: () => [],
  takesAnyFinalizer: true,
  storageVersionHash: 'InPBPD7+PqM=',
  hasStatus: true,
  allowUnconditionalUpdate: false,
  prepareForCreate({ spec, status }: ApiService, { now }) {
    if (spec.service === undefined) {
      status.conditions = [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: formatTime(now),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ];
    }
  },
  applyDefaults({ spec: { service } }: ApiService) {
    if (service !== undefined) {
      service.port ??= 443;
    }
  },
  statusKeeps: ['labels', 'annotations', 'finalizers', 'ownerReferences'],
  refusals: (service: ApiService) => [...validateNames(service), ...validateSpec(service)],
  statusRefusals: ({ status: { conditions = [] } }: ApiService) =>
    conditions.flatMap(({ status }, index) =>
      statuses.includes(status) ? [] : [notSupported(`status.conditions[${index}].status`, status, statuses)],
    ),
  shown: [
    text<ApiService>('Service', 'Who serves it', ({ spec: { service } }) =>
      service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
    ),
    text<ApiService>('Available', 'Whether it is served', ({ status }) => {
      const found = status.conditions?.find(({ type }) => type === 'Available');
      if (found === undefined) {
        return 'Unknown';
      }
      return found.status === 'True' ? 'True' : `${found.status} (${found.reason ?? ''})`;
    }),
    age,
  ],
});

const statuses = ['True', 'False', 'Unknown'];

/** The name must consist of version and group. */
function validateNames({ metadata, spec: { group = '', version = '' } }: ApiService): FieldError[] {
  const wanted = `${version}.${group}`;
  const other = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const name = metadata[field] ?? '';
    const ofSegment = pathSegment(name, false);
    const problems = ofSegment.length > 0 || name === wanted ? ofSegment : [other];
    return name === '' ? [] : problems.map((problem) => invalid(`metadata.${field}`, name, problem));
  });
}

function validateSpec({ spec }: ApiService): FieldError[] {
  const { group = '', version = '', groupPriorityMinimum, versionPriority, service, caBundle = '' } = spec;
  const skipsVerification = spec.insecureSkipTLSVerify === true;
  const shared = [
    ...(group === '' && version !== 'v1'
      ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]
      : []),
    ...(group === ''
      ? []
      : dnsSubdomain(group, false).map((problem) => invalid('spec.group', group, problem))),
    ...dns1035Label(version, false).map((problem) => invalid('spec.version', version, problem)),
    ...between(groupPriorityMinimum, 20_000, 'spec.groupPriorityMinimum'),
    ...between(versionPriority, 1000, 'spec.versionPriority'),
  ];
  const skipErrors = (problem: string): FieldError[] =>
    skipsVerification ? [invalid('spec.insecureSkipTLSVerify', true, problem)] : [];
  if (service === undefined) {
    const { length } = Buffer.from(caBundle, 'base64');
    return [
      ...shared,
      ...(length === 0
        ? []
        : [invalid('spec.caBundle', `${length} bytes`, 'local APIServices may not have a caBundle')]),
      ...skipErrors('local APIServices may not have insecureSkipTLSVerify'),
    ];
  }
  return [
    ...shared,
    ...(['namespace', 'name'] as const).flatMap((field) =>
      (service[field] ?? '') === '' ? [required(`spec.service.${field}`)] : [],
    ),
    ...validatePort(service.port, 'spec.service.port').map((error) => ({
      ...error,
      message: error.message.replace(/must be between/, 'port is not valid: $&'),
    })),
    ...(caBundle === '' ? [] : skipErrors('may not be true if caBundle is present')),
  ];
}

function between(value: number, most: number, path: string): FieldError[] {
  return value > 0 && value <= most ? [] : [invalid(path, value, `must be positive and less than ${most}`)];
}
