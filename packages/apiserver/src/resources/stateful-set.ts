import { type FieldError, forbiddenField, invalid, notSupported, required } from '../meta/field-error.ts';
import { type JsonObject, jsonEqual, withoutFields } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { dnsLabel } from '../meta/names.ts';
import { validateAnnotations, validateLabels } from '../meta/object-meta.ts';
import { applyClaimSpecDefaults, validateClaimSpec, claimSpecWarnings } from './claim-spec.ts';
import {
  isAskable,
  shownSelector,
  validateCollisions,
  validateLasting,
  validateOwnSelector,
  validateSelection,
} from './described/workload.ts';
import { goValue } from './go-diff.ts';
import { amountOf, notAbove, notNegative, notNegativeOrPercentage } from './numbers.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import type { PodSpec } from './pod-spec.ts';
import { applyPodSpecDefaults } from './pod-spec-defaults.ts';
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
    const { updateStrategy } = spec;
    // The rest of the strategy is defaulted only if the client does not set its type.
    if (updateStrategy.type === undefined) {
      updateStrategy.type = 'RollingUpdate';
      updateStrategy.rollingUpdate ??= {};
    }
    if (updateStrategy.type === 'RollingUpdate' && updateStrategy.rollingUpdate !== undefined) {
      updateStrategy.rollingUpdate.partition ??= 0;
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
    dropMaxUnavailable(set, undefined);
  },
  validate: (set: StatefulSet) =>
    validateStatefulSet(set, validateClaimTemplates(set), validateServiceName(set)),
  prepareForUpdate(set: StatefulSet, old: StatefulSet) {
    set.status = old.status;
    dropMaxUnavailable(set, old);
  },
  validateUpdate(set: StatefulSet, old: StatefulSet) {
    const errors = validateStatefulSet(set, [], []);
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
    validateUpdate: (set: StatefulSet, old: StatefulSet) => validateSetStatus(set, old),
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

function validateStatefulSet(
  { spec }: StatefulSet,
  ofClaims: readonly FieldError[],
  ofService: readonly FieldError[],
): FieldError[] {
  const { selector, template } = spec;
  return [
    ...validateManagement(spec),
    ...validateUpdateStrategy(spec.updateStrategy),
    ...validateRetention(spec),
    ...ofClaims,
    ...notNegative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...notNegative(spec.ordinals, 'spec.ordinals', ['start']),
    ...ofService,
    ...(selector === null ? [required('spec.selector')] : validateOwnSelector(selector, 'statefulset')),
    ...(isAskable(selector)
      ? [...validateSelection(selector, template), ...validateTemplate(spec)]
      : [invalid('spec.selector', shownSelector(selector), '')]),
    ...validateLasting(template.spec, 'StatefulSet'),
  ];
}

const managementPolicies = ['OrderedReady', 'Parallel'];

function validateManagement({ podManagementPolicy = '' }: StatefulSet['spec']): FieldError[] {
  const problem = `must be '${managementPolicies[0]}' or '${managementPolicies[1]}'`;
  return managementPolicies.includes(podManagementPolicy)
    ? []
    : [invalid('spec.podManagementPolicy', podManagementPolicy, problem)];
}

function validateUpdateStrategy(strategy: StatefulSet['spec']['updateStrategy']): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.updateStrategy.rollingUpdate';
  switch (type) {
    case 'OnDelete': {
      const shown = goValue(rollingUpdate ?? {}, 'apps.v1.RollingUpdateStatefulSetStrategy');
      return rollingUpdate === undefined
        ? []
        : [invalid(path, shown, "only allowed for updateStrategy 'RollingUpdate'")];
    }
    case 'RollingUpdate': {
      const { maxUnavailable } = rollingUpdate ?? {};
      return [
        ...notNegative(rollingUpdate, path, ['partition']),
        ...notNegativeOrPercentage(maxUnavailable, `${path}.maxUnavailable`),
        ...(maxUnavailable !== undefined && amountOf(maxUnavailable) === 0
          ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'cannot be 0')]
          : []),
      ];
    }
    default: {
      const shown = goValue(strategy, 'apps.v1.StatefulSetUpdateStrategy');
      return [invalid('spec.updateStrategy', shown, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}

function validateRetention({
  persistentVolumeClaimRetentionPolicy: policies,
}: StatefulSet['spec']): FieldError[] {
  return Object.entries({ whenDeleted: policies?.whenDeleted, whenScaled: policies?.whenScaled }).flatMap(
    ([field, policy]) =>
      policy === undefined || retentionPolicies.includes(policy)
        ? []
        : [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, policy, retentionPolicies)],
  );
}

/** The real server validates the metadata twice. */
function validateTemplate(spec: StatefulSet['spec']): FieldError[] {
  const { template } = spec;
  const { labels, annotations } = template.metadata;
  return [
    ...validatePodTemplate({ ...template, spec: podsOf(spec) }, 'spec.template'),
    ...validateLabels(labels, 'spec.template.labels'),
    ...validateAnnotations(annotations, 'spec.template.annotations'),
  ];
}

/** Only validated for a new set, because it never changes. */
function validateServiceName({ spec: { serviceName = '' } }: StatefulSet): FieldError[] {
  return serviceName === ''
    ? []
    : dnsLabel(serviceName, false).map((problem) => invalid('spec.serviceName', serviceName, problem));
}

function validateSetStatus(set: StatefulSet, old: StatefulSet): FieldError[] {
  const { status } = set;
  const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  return [
    ...notNegative(status, 'status', ['replicas', ...counts, 'observedGeneration', 'collisionCount']),
    ...notAbove(status, 'status', counts, 'replicas', 'cannot be greater than status.replicas'),
    ...notAbove(
      status,
      'status',
      ['availableReplicas'],
      'readyReplicas',
      'cannot be greater than status.readyReplicas',
    ),
    ...validateCollisions(status, old.status),
  ];
}

/** Drops maxUnavailable, whose feature gate is off by default, unless the stored set has it already. */
function dropMaxUnavailable({ spec }: StatefulSet, old: StatefulSet | undefined): void {
  if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable === undefined) {
    delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
  }
}

/** Only validated for a new set, because claim templates never change. */
function validateClaimTemplates({ spec: { volumeClaimTemplates = [] } }: StatefulSet): FieldError[] {
  return volumeClaimTemplates.flatMap(({ spec }, index) =>
    validateClaimSpec(spec, `spec.volumeClaimTemplates[${index}].spec`),
  );
}

/**
 * Warns about the template only if the write increased the generation, so that the template may have changed.
 */
function setWarnings(set: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = set.spec;
  const isSame = set.metadata.generation === old?.metadata.generation;
  // The API server names the path differently for new sets and for updates.
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
 * StatefulSets as on a server with StatefulSetAutoDeletePVC off: the retention policy has no default, and is
 * dropped unless the set has had one since the gate was on (dropStatefulSetDisabledFields in
 * pkg/registry/apps/statefulset/strategy.go of 1.31).
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
 * The spec of the pods, for validation. Mounts may name claim templates. The controller adds the volumes for
 * them before those of the template, and replaces volumes of the same name. It also names the pods, whatever
 * the template says.
 */
function podsOf(spec: StatefulSet['spec']): PodSpec {
  const { template, volumeClaimTemplates = [] } = spec;
  const claimed = new Set(volumeClaimTemplates.map((claim) => claim.metadata.name ?? ''));
  const named = withoutFields(template.spec, ['hostname', 'subdomain']) as PodSpec;
  return {
    ...named,
    volumes: [
      ...[...claimed].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      ...(template.spec.volumes ?? []).filter(({ name }) => !claimed.has(name)),
    ],
  };
}
