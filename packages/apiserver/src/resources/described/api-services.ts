import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { formatTime } from '../../schema/decode.ts';
import { dns1035Label } from '../../meta/names.ts';
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
  refusals({ metadata, spec }: ApiService) {
    const { group = '', version = '', groupPriorityMinimum, versionPriority, service } = spec;
    const errors: FieldError[] = [];
    const wanted = `${version}.${group}`;
    for (const field of ['generateName', 'name'] as const) {
      const given = metadata[field];
      if (given !== undefined && given !== '' && given !== wanted) {
        errors.push(
          invalid(
            `metadata.${field}`,
            given,
            `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`,
          ),
        );
      }
    }
    if (group === '' && version !== 'v1') {
      errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
    }
    errors.push(...dns1035Label(version, false).map((problem) => invalid('spec.version', version, problem)));
    errors.push(
      ...between(groupPriorityMinimum, 20_000, 'spec.groupPriorityMinimum'),
      ...between(versionPriority, 1000, 'spec.versionPriority'),
    );
    if (service !== undefined) {
      for (const field of ['namespace', 'name'] as const) {
        if ((service[field] ?? '') === '') {
          errors.push(required(`spec.service.${field}`));
        }
      }
      errors.push(
        ...validatePort(service.port, 'spec.service.port').map(() =>
          invalid(
            'spec.service.port',
            service.port,
            'port is not valid: must be between 1 and 65535, inclusive',
          ),
        ),
      );
    }
    return errors;
  },
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

function between(value: number, most: number, path: string): FieldError[] {
  return value > 0 && value <= most ? [] : [invalid(path, value, `must be positive and less than ${most}`)];
}
