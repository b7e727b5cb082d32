import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dnsLabel } from '../meta/names.ts';
import { validateLabels } from '../meta/object-meta.ts';
import { matcherOf } from '../selectors/label-selector.ts';
import { applyClaimSpecDefaults, validateClaimSpec, claimSpecWarnings } from './claim-spec.ts';
import { goValue } from './go-diff.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import { type PodSpec, applyPodSpecDefaults } from './pod-spec.ts';
import { type PodTemplate, validatePodTemplate } from './pod-template.ts';
import { podWarnings } from './pod-warnings.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector | null;
    template: PodTemplate;
    volumeClaimTemplates?: PersistentVolumeClaim[];
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy: {
      type?: string;
      rollingUpdate?: { partition?: number; maxUnavailable?: number | string };
    } & JsonObject;
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    ordinals?: { start?: number };
  };
  status: { replicas: number; readyReplicas?: number; availableReplicas: number } & JsonObject;
}

const mutableFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;
const retentionPolicies = ['Retain', 'Delete'];

export const statefulSets: ResourceDefinition = {
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  singular: 'statefulset',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  struct: 'apps.v1.StatefulSet',
  validation: 'usual mistakes',
  nameRule: dnsLabel,
  storageVersionHash: 'H+vl74LkKdo=',
  hasGeneration: true,
  scale: {
    specReplicas: ['spec', 'replicas'],
    statusReplicas: ['status', 'replicas'],
    selector: ['spec', 'selector'],
  },
  emptyFields: { spec: { replicas: 0 } },

  applyDefaults({ spec }: StatefulSet) {
    spec.podManagementPolicy ??= 'OrderedReady';
    spec.updateStrategy.type ??= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.partition ??= 0;
    }
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ??= 'Retain';
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ??= 'Retain';
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    applyPodSpecDefaults(spec.template.spec);
    for (const template of spec.volumeClaimTemplates ?? []) {
      template.kind = 'PersistentVolumeClaim';
      template.apiVersion = 'v1';
      template.status.phase ??= 'Pending';
      applyClaimSpecDefaults(template.spec);
    }
  },
  prepareForCreate(set: StatefulSet) {
    set.status = { replicas: 0, availableReplicas: 0 };
  },
  validate: (set: StatefulSet) => validateStatefulSet(set, validateClaimTemplates(set)),
  prepareForUpdate(set: StatefulSet, old: StatefulSet) {
    set.status = old.status;
  },
  validateUpdate(set: StatefulSet, old: StatefulSet) {
    const errors = validateStatefulSet(set, []);
    const allowed: JsonObject = { ...old.spec };
    for (const field of mutableFields) {
      allowed[field] = set.spec[field];
    }
    if (!jsonEqual(set.spec, allowed)) {
      const listed = mutableFields.map((field) => `'${field}'`);
      errors.push(
        forbiddenField(
          'spec',
          `updates to statefulset spec for fields other than ${listed.slice(0, -1).join(', ')} and ${listed.at(-1) ?? ''} are forbidden`,
        ),
      );
    }
    return errors;
  },
  warnings: setWarnings,
  status: {
    prepareForUpdate(set: StatefulSet, old: StatefulSet) {
      set.spec = old.spec;
    },
    validateUpdate({ status }: StatefulSet) {
      const errors: FieldError[] = [];
      for (const field of [
        'replicas',
        'readyReplicas',
        'currentReplicas',
        'updatedReplicas',
        'availableReplicas',
      ]) {
        const value = status[field];
        if (typeof value === 'number' && value < 0) {
          errors.push(invalid(`status.${field}`, value, 'must be greater than or equal to 0'));
        }
      }
      for (const field of ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']) {
        const value = status[field];
        if (typeof value === 'number' && value > status.replicas) {
          errors.push(invalid(`status.${field}`, value, 'cannot be greater than status.replicas'));
        }
      }
      return errors;
    },
  },

  columns: [
    nameColumn,
    column('Ready', 'Ready pods of those wanted'),
    ageColumn,
    column('Containers', 'Names of the containers in the template', 1),
    column('Images', 'Images of the containers in the template', 1),
  ],
  cells({ metadata, spec, status }: StatefulSet, { now }) {
    const containers = spec.template.spec.containers ?? [];
    return [
      metadata.name ?? '',
      `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      since(metadata.creationTimestamp, now),
      containers.map((container) => container.name).join(','),
      containers.map((container) => container.image ?? '').join(','),
    ];
  },
};

function validateStatefulSet({ spec }: StatefulSet, ofClaims: readonly FieldError[]): FieldError[] {
  const errors: FieldError[] = [];
  const managementPolicies = ['OrderedReady', 'Parallel'];
  if (!managementPolicies.includes(spec.podManagementPolicy ?? '')) {
    errors.push(
      invalid(
        'spec.podManagementPolicy',
        spec.podManagementPolicy,
        `must be '${managementPolicies[0]}' or '${managementPolicies[1]}'`,
      ),
    );
  }
  const strategy = spec.updateStrategy.type ?? '';
  if (strategy !== 'RollingUpdate' && strategy !== 'OnDelete') {
    errors.push(
      invalid(
        'spec.updateStrategy',
        goValue(spec.updateStrategy, 'apps.v1.StatefulSetUpdateStrategy'),
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    );
  }
  const { rollingUpdate } = spec.updateStrategy;
  if (strategy === 'OnDelete' && rollingUpdate !== undefined) {
    const shown = goValue(rollingUpdate, 'apps.v1.RollingUpdateStatefulSetStrategy');
    const problem = "only allowed for updateStrategy 'RollingUpdate'";
    errors.push(invalid('spec.updateStrategy.rollingUpdate', shown, problem));
  }
  if ((rollingUpdate?.partition ?? 0) < 0) {
    const at = 'spec.updateStrategy.rollingUpdate.partition';
    errors.push(invalid(at, rollingUpdate?.partition, 'must be greater than or equal to 0'));
  }
  if ((spec.ordinals?.start ?? 0) < 0) {
    errors.push(invalid('spec.ordinals.start', spec.ordinals?.start, 'must be greater than or equal to 0'));
  }
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const policy = spec.persistentVolumeClaimRetentionPolicy?.[field];
    if (policy !== undefined && !retentionPolicies.includes(policy)) {
      errors.push(
        notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, retentionPolicies),
      );
    }
  }
  for (const field of ['replicas', 'minReadySeconds'] as const) {
    const value = spec[field];
    if (value !== undefined && value < 0) {
      errors.push(invalid(`spec.${field}`, value, 'must be greater than or equal to 0'));
    }
  }
  const { selector } = spec;
  if (selector === null) {
    errors.push(required('spec.selector'));
  } else {
    errors.push(...validateLabels(selector.matchLabels, 'spec.selector.matchLabels'));
    if (Object.keys(selector).length === 0) {
      errors.push(invalid('spec.selector', {}, 'empty selector is invalid for statefulset'));
    }
  }
  const { labels } = spec.template.metadata;
  if (!matcherOf(selector)(labels)) {
    errors.push(
      invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  errors.push(...ofClaims, ...validatePodTemplate({ ...spec.template, spec: podsOf(spec) }, 'spec.template'));
  const { restartPolicy } = spec.template.spec;
  if (restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  }
  return errors;
}

/** Of a new set: later they do not change. */
function validateClaimTemplates({ spec: { volumeClaimTemplates = [] } }: StatefulSet): FieldError[] {
  return volumeClaimTemplates.flatMap(({ spec }, index) =>
    validateClaimSpec(spec, `spec.volumeClaimTemplates[${index}].spec`),
  );
}

/** Of the template only when a write could have changed it: a change outside of it, which raises the generation, will do. */
function setWarnings(set: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = set.spec;
  const isSame = set.metadata.generation === old?.metadata.generation;
  // The API server has one path for new sets and another for old ones.
  const within = old === undefined ? '' : '.Spec';
  return [
    ...(isSame ? [] : podWarnings(template.spec, template.metadata, 'spec.template')),
    ...volumeClaimTemplates.flatMap((claim, index) =>
      claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${index}]${within}`),
    ),
    ...(revisionHistoryLimit < 0
      ? [
          'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
        ]
      : []),
  ];
}

/**
 * As a server with StatefulSetAutoDeletePVC off has it: no default, and a policy that is sent is dropped unless the set has
 * one from the time the gate was on (dropStatefulSetDisabledFields in pkg/registry/apps/statefulset/strategy.go of 1.31).
 */
export function withoutRetentionPolicy(definition: ResourceDefinition): ResourceDefinition {
  return {
    ...definition,
    applyDefaults(set: StatefulSet) {
      const { persistentVolumeClaimRetentionPolicy: given } = set.spec;
      definition.applyDefaults?.(set);
      if (given === undefined) {
        delete set.spec.persistentVolumeClaimRetentionPolicy;
      }
    },
    prepareForCreate(set: StatefulSet, context) {
      definition.prepareForCreate?.(set, context);
      delete set.spec.persistentVolumeClaimRetentionPolicy;
    },
    prepareForUpdate(set: StatefulSet, old: StatefulSet, context) {
      definition.prepareForUpdate?.(set, old, context);
      if (old.spec.persistentVolumeClaimRetentionPolicy === undefined) {
        delete set.spec.persistentVolumeClaimRetentionPolicy;
      }
    },
  };
}

/**
 * What is made of the template. Mounts may name claim templates, whose volumes the controller adds to the pods; the volumes given keep their indexes. It
 * names the pods itself, whatever the template says.
 */
function podsOf(spec: StatefulSet['spec']): PodSpec {
  const { template, volumeClaimTemplates = [] } = spec;
  const given = new Set((template.spec.volumes ?? []).map((volume) => volume.name));
  const claimed = volumeClaimTemplates
    .map((claim) => claim.metadata.name ?? '')
    .filter((name) => name !== '' && !given.has(name))
    .map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const named = withoutFields(template.spec, ['hostname', 'subdomain']) as PodSpec;
  return { ...named, volumes: [...(template.spec.volumes ?? []), ...claimed] };
}
