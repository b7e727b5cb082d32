import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import { createdAtColumn, nameColumn } from '../resources/table-columns.ts';
import { isKnownFormat } from '../structural/formats.ts';
import { type SchemaNode, childrenOf } from '../structural/schema-node.ts';
import {
  type CustomResourceConversion,
  type CustomResourceDefinition,
  cleanupFinalizer,
  storageVersionOf,
  withCondition,
} from './custom-resource-definition.ts';
import { validateDefinition, validateDefinitionUpdate } from './validate-definition.ts';

/** The kind CustomResourceDefinition itself. custom-resources.ts acts on stored definitions. */
export const customResourceDefinitions: ResourceDefinition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  struct: 'apiextensions.v1.CustomResourceDefinition',
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'jfWCUB31mvA=',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  isDeletedByUid: true,

  applyDefaults(definition: CustomResourceDefinition) {
    const { spec, status } = definition;
    const { names } = spec;
    if ((names.singular ?? '') === '') {
      names.singular = names.kind.toLowerCase();
    }
    if ((names.listKind ?? '') === '' && names.kind !== '') {
      names.listKind = `${names.kind}List`;
    }
    spec.conversion ??= { strategy: 'None' };
    applyConversionDefaults(spec.conversion);
    if ((status.storedVersions ?? []).length === 0) {
      addStoredVersion(definition);
    }
  },
  prepareForCreate(definition: CustomResourceDefinition) {
    definition.status = { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: [] };
    addStoredVersion(definition);
  },
  prepareForUpdate(definition: CustomResourceDefinition, old: CustomResourceDefinition) {
    definition.status = { ...old.status };
    addStoredVersion(definition);
  },
  validate: (definition: CustomResourceDefinition) => validateDefinition(definition),
  validateUpdate: (definition: CustomResourceDefinition, old: CustomResourceDefinition) =>
    validateDefinitionUpdate(definition, old),
  warnings(definition: CustomResourceDefinition, old: CustomResourceDefinition | undefined) {
    const known = old === undefined ? [] : unknownFormats(old);
    const formats = unknownFormats(definition).filter((format) => !known.includes(format));
    return formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },
  status: {
    prepareForUpdate(definition: CustomResourceDefinition, old: CustomResourceDefinition) {
      definition.spec = old.spec;
    },
  },

  // The first DELETE only marks a definition, because its objects must be deleted before it.
  ignoresFirstPolicy: true,
  markTerminating(definition: CustomResourceDefinition, { now }) {
    const { metadata } = definition;
    const finalizers = metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) {
      metadata.finalizers = [...finalizers, cleanupFinalizer];
    }
    const condition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    };
    definition.status.conditions = withCondition(definition, condition, now);
  },

  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }: KubeObject) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
};

/**
 * Removes `webhook` if it has neither a clientConfig nor review versions, because the real server's internal
 * form of a definition cannot hold an empty one.
 */
function applyConversionDefaults(conversion: CustomResourceConversion): void {
  const { strategy, webhook } = conversion;
  if (webhook?.clientConfig?.service !== undefined) {
    webhook.clientConfig.service.port ??= 443;
  }
  const isEmpty =
    webhook?.clientConfig === undefined && (webhook?.conversionReviewVersions ?? []).length === 0;
  if (isEmpty && strategy !== 'Webhook') {
    delete conversion.webhook;
  }
}

function addStoredVersion(definition: CustomResourceDefinition): void {
  const { status } = definition;
  const name = storageVersionOf(definition)?.name;
  const stored = status.storedVersions ?? [];
  if (name !== undefined && !stored.includes(name)) {
    status.storedVersions = [...stored, name];
  }
}

function unknownFormats({ spec }: CustomResourceDefinition): readonly string[] {
  const below = (node: SchemaNode): readonly string[] => [
    ...(node.format === undefined || node.format === '' || isKnownFormat(node.format) ? [] : [node.format]),
    ...childrenOf(node, '').flatMap(([, child]) => below(child)),
  ];
  const roots = (spec.versions ?? []).flatMap(
    ({ schema }) => schema?.openAPIV3Schema ?? [],
  ) as readonly SchemaNode[];
  return [...new Set(roots.flatMap((root) => below(root)))];
}
