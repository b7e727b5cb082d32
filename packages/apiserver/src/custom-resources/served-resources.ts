import { createHash } from 'node:crypto';
import { type FieldError, invalid } from '../meta/field-error.ts';
import { type JsonObject, cloneJson } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain, qualifiedNameProblems } from '../meta/names.ts';
import { validateObjectMeta } from '../meta/object-meta.ts';
import type {
  AskedConversion,
  Conversion,
  ResourceDefinition,
  StatusStrategy,
} from '../resources/resource-definition.ts';
import { type JsonPath, parseJsonPath, printFound } from '../selectors/json-path.ts';
import { applyDefaults } from '../structural/defaults.ts';
import { pruneObject } from '../structural/prune.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import { validateEmbedded, validateListTypes, validateValue } from '../structural/validate.ts';
import {
  type CustomResourceDefinition,
  type CustomResourceScale,
  type CustomResourceVersion,
  isTrue,
  storageVersionOf,
} from './custom-resource-definition.ts';
import { replicaErrors, scalePaths } from './custom-scale.ts';
import { type WebhookSurroundings, webhookConversion } from './conversion-webhook.ts';
import { columnsOf } from './printer-columns.ts';
import { ratcheted } from './ratcheting.ts';
import { type RuleFindings, compileSchema, judgeByRules } from './rules.ts';
import { hasRules } from './validate-rules.ts';
import { compareVersions } from './version-priority.ts';

/* Converts a CustomResourceDefinition to the resources that the server serves, one for each version. */

const everything: SchemaNode = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export interface DefinedResources {
  /** Empty while the names of the kind are not accepted. */
  readonly served: readonly ResourceDefinition[];
  /** The resource of the storage version, which need not be served. */
  readonly stored: ResourceDefinition | undefined;
}

/**
 * @param isTerminating called at each creation, because a definition that is being deleted is still served
 *   by the same resources
 */
export function definedResources(
  definition: CustomResourceDefinition,
  isTerminating: () => boolean,
  surroundings: WebhookSurroundings,
): DefinedResources {
  const storage = storageVersionOf(definition);
  if (storage === undefined || (!isTrue(definition, 'NamesAccepted') && !isTrue(definition, 'Established'))) {
    return { served: [], stored: undefined };
  }
  const definitionOf = (apiVersion: string): ResourceDefinition | undefined =>
    resources.find(({ resource }) => `${resource.group}/${resource.version}` === apiVersion)?.resource;
  const others = { ...surroundings, definitionOf };
  const resources = (definition.spec.versions ?? [])
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => ({
      version,
      resource: { ...resourceOf(definition, version, storage, others), isTerminating },
    }));
  return {
    served: resources.filter(({ version }) => version.served).map(({ resource }) => resource),
    stored: resources.find(({ version }) => version === storage)?.resource,
  };
}

interface ConversionSurroundings extends WebhookSurroundings {
  readonly definitionOf: AskedConversion['definitionOf'];
}

function schemaOf({ spec }: CustomResourceDefinition, { schema }: CustomResourceVersion): SchemaNode {
  const root = schema?.openAPIV3Schema ?? everything;
  return spec.preserveUnknownFields === true
    ? { ...root, 'x-kubernetes-preserve-unknown-fields': true }
    : root;
}

function resourceOf(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
  storage: CustomResourceVersion,
  surroundings: ConversionSurroundings,
): ResourceDefinition {
  const { spec, status } = definition;
  const { acceptedNames } = status;
  const { subresources = {} } = version;
  const schema = schemaOf(definition, version);
  const kind = acceptedNames.kind;
  const namespaced = spec.scope === 'Namespaced';
  const { scale } = subresources;
  const columns = columnsOf(version.additionalPrinterColumns ?? undefined);
  const hash = createHash('sha256').update(`${spec.group}/${storage.name}/${kind}`).digest();
  const judge = rulesOf(schema);
  const validate = (object: KubeObject): readonly FieldError[] => [
    ...validateValue(withoutMetadata(object), schema, ''),
    ...replicaErrors(object, scale, 'spec'),
    ...replicaErrors(object, scale, 'status'),
    ...validateEmbedded(object, schema, ''),
    ...validateListTypes(object, schema, ''),
  ];
  return {
    group: spec.group,
    version: version.name,
    kind,
    listKind: acceptedNames.listKind ?? `${kind}List`,
    plural: spec.names.plural,
    singular: acceptedNames.singular ?? '',
    ...(acceptedNames.shortNames === undefined ? undefined : { shortNames: acceptedNames.shortNames }),
    ...(acceptedNames.categories === undefined ? undefined : { categories: acceptedNames.categories }),
    namespaced,
    schema,
    nameRule: dnsSubdomain,
    storageVersionHash: hash.subarray(0, 8).toString('base64'),
    ...conversionOf(definition, version, storage, surroundings),
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    ...(version.deprecated === true ? { deprecation: deprecationOf(definition, version) } : undefined),
    hasFieldLabelConversion: true,
    selectableFields: Object.fromEntries(
      (version.selectableFields ?? []).map(({ jsonPath }) => [
        jsonPath.replace(/^\./, ''),
        selectorOf(parseJsonPath(jsonPath)),
      ]),
    ),
    applyDefaults: (object, keepsNulls) => applyDefaults(object, schema, keepsNulls),
    prepareForCreate(object) {
      if (subresources.status !== undefined) {
        delete object['status'];
      }
    },
    prepareForUpdate(object, old) {
      if (subresources.status !== undefined) {
        copyStatus(object, old);
      }
    },
    validate: (object) =>
      withRules(validate(object), judge, object, {
        others: validateObjectMeta(object.metadata, namespaced, dnsSubdomain),
      }),
    // An update may keep values that were stored before and are invalid now.
    validateUpdate: (object, old) =>
      withRules(
        ratcheted(validate(object), () => validate(old), object, old, schema),
        judge,
        object,
        { old },
      ),
    warnings: (object, old) => [...finalizerWarnings(object, old), ...ruleWarnings(judge, object, old)],
    ...(subresources.status === undefined ? undefined : { status: statusStrategy(schema, scale, judge) }),
    ...(scale === undefined ? undefined : { scale: scalePaths(scale) }),
    columns: columns.map(({ shown }) => shown),
    cells: (object, { now }) => columns.map(({ cell }) => cell(object, now)),
  };
}

type Judge = (object: KubeObject, old?: KubeObject) => RuleFindings;

/** The rules of a schema, if it has any. They are compiled when they are first needed. */
function rulesOf(schema: SchemaNode): Judge | undefined {
  if (!hasRules(schema)) {
    return undefined;
  }
  let compiled: ReturnType<typeof compileSchema>;
  return (object, old) => {
    compiled ??= compileSchema(schema, true);
    return compiled === undefined ? { errors: [], passedOver: [] } : judgeByRules(compiled, object, old);
  };
}

const blocking: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * Adds the findings of the rules, which are evaluated only if the values match the schema.
 *
 * @param options.others further errors that also prevent the evaluation
 */
function withRules(
  errors: readonly FieldError[],
  judge: Judge | undefined,
  object: KubeObject,
  { old, others = [] }: { readonly old?: KubeObject; readonly others?: readonly FieldError[] },
): readonly FieldError[] {
  if (judge === undefined) {
    return errors;
  }
  if (![...errors, ...others].some(({ reason }) => blocking.has(reason))) {
    return [...errors, ...judge(object, old).errors];
  }
  const unchecked =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...errors, invalid('<nil>', null, unchecked)];
}

/** The findings of the rules about values that did not change, as warnings. */
function ruleWarnings(judge: Judge | undefined, object: KubeObject, old: KubeObject | undefined): string[] {
  const findings = old === undefined ? undefined : judge?.(object, old);
  return findings?.passedOver.map(({ field, message }) => `${field}: ${message}`) ?? [];
}

function withoutMetadata(object: KubeObject): JsonObject {
  const { metadata, ...rest } = object;
  // Metadata stays, because a schema may limit metadata.name.
  return { ...rest, metadata: metadata };
}

function copyStatus(object: KubeObject, old: KubeObject): void {
  if (old['status'] === undefined) {
    delete object['status'];
  } else {
    object['status'] = old['status'];
  }
}

function statusStrategy(
  schema: SchemaNode,
  scale: CustomResourceScale | undefined,
  judge: Judge | undefined,
): StatusStrategy {
  const ofStatus = schema.properties?.['status'];
  const validate = (object: KubeObject): readonly FieldError[] => [
    ...(ofStatus === undefined || object['status'] === undefined
      ? []
      : validateValue(object['status'], ofStatus, '').map(belowStatus)),
    ...replicaErrors(object, scale, 'status'),
    ...validateEmbedded(object, schema, ''),
    ...validateListTypes(object, schema, ''),
  ];
  return {
    keptMetadata: 'all',
    prepareForUpdate(object, old) {
      const { status, metadata } = object;
      const { managedFields } = metadata;
      for (const field of Object.keys(object)) {
        Reflect.deleteProperty(object, field);
      }
      Object.assign(object, cloneJson(old), status === undefined ? undefined : { status });
      if (status === undefined) {
        delete object['status'];
      }
      if (managedFields === undefined) {
        delete object.metadata.managedFields;
      } else {
        object.metadata.managedFields = managedFields;
      }
    },
    validateUpdate: (object, old) =>
      withRules(
        ratcheted(validate(object), () => validate(old), object, old, schema),
        judge,
        object,
        { old },
      ),
  };
}

/** The status is validated on its own, so its errors need the field `status` in front. */
function belowStatus(error: FieldError): FieldError {
  return { ...error, field: error.field === '<nil>' ? 'status' : `status.${error.field}` };
}

function conversionOf(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
  storage: CustomResourceVersion,
  surroundings: ConversionSurroundings,
): Pick<ResourceDefinition, 'conversion' | 'askedConversion'> {
  const { group, conversion, versions } = definition.spec;
  const { webhook } = conversion ?? {};
  if (webhook?.clientConfig === undefined) {
    return { conversion: conversionByName(definition, version, storage) };
  }
  const apiVersionOf = ({ name }: CustomResourceVersion): string => `${group}/${name}`;
  const schemas = new Map(
    (versions ?? []).map((each) => [apiVersionOf(each), schemaOf(definition, each)] as const),
  );
  const { definitionOf } = surroundings;
  const between = { served: apiVersionOf(version), stored: apiVersionOf(storage), schemas, definitionOf };
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    askedConversion: webhookConversion(clientConfig, conversionReviewVersions ?? [], between, surroundings),
  };
}

/**
 * The conversion strategy None: it replaces the apiVersion, and prunes fields that the version does not have.
 */
function conversionByName(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
  storage: CustomResourceVersion,
): Conversion {
  const { spec } = definition;
  const apiVersionOf = ({ name }: CustomResourceVersion): string => `${spec.group}/${name}`;
  const stored = schemaOf(definition, storage);
  const served = schemaOf(definition, version);
  const inVersion = (object: KubeObject, of: CustomResourceVersion): KubeObject => ({
    ...object,
    apiVersion: apiVersionOf(of),
  });
  return {
    storedAs: { group: spec.group, name: spec.names.plural },
    toStored: (object) => pruneObject(inVersion(object, storage), stored).value as KubeObject,
    fromStored(object) {
      // The definition may have changed since the object was written. Defaults are those of the version in which
      // it was written, if that is still there.
      const value = cloneJson(object);
      const own = spec.versions?.find((each) => apiVersionOf(each) === object.apiVersion);
      if (own !== undefined) {
        applyDefaults(value, schemaOf(definition, own));
      }
      const pruned = pruneObject(inVersion(value, storage), stored).value as KubeObject;
      return pruneObject(inVersion(pruned, version), served).value as KubeObject;
    },
  };
}

function selectorOf(path: JsonPath): (object: KubeObject) => string {
  return (object) => {
    const [found] = path(object);
    return found === undefined || found === null ? '' : printFound(found);
  };
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const before = old?.metadata.finalizers ?? [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer)).sort();
  return added.flatMap((finalizer) => {
    const head = `metadata.finalizers: ${JSON.stringify(finalizer)}:`;
    const problems = qualifiedNameProblems(finalizer).map((problem) => `${head} ${problem}`);
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) {
      return problems;
    }
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    return [
      ...problems,
      `${head} prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}

function deprecationOf({ spec }: CustomResourceDefinition, version: CustomResourceVersion): string {
  const { name, deprecationWarning } = version;
  if (deprecationWarning !== undefined) {
    return deprecationWarning;
  }
  const { kind } = spec.names;
  const [better] = (spec.versions ?? [])
    .filter((other) => other.served && other.deprecated !== true && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .toSorted(compareVersions);
  const use = better === undefined ? '' : `; use ${spec.group}/${better} ${kind}`;
  return `${spec.group}/${name} ${kind} is deprecated${use}`;
}
