import { printKind, readGroupVersion } from '../../meta/group-version.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { ParamKind } from '../../resources/admission-policy-spec.ts';
import { knownConversion } from '../../resources/converted-entries.ts';
import type { ParamRef } from '../../resources/policy-binding.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import { type ResourceDefinition, apiVersionOf, keyspaceOf } from '../../resources/resource-definition.ts';
import { matcherOf } from '../../selectors/label-selector.ts';
import type { Entry, Storage } from '../../storage/storage.ts';

/** A misconfigured policy or binding. The failurePolicy decides what follows. */
export class ConfigurationError extends Error {}

/** The resource of a policy's params. Throws a ConfigurationError if the kind is not served. */
export function paramDefinition(
  { apiVersion = '', kind = '' }: ParamKind,
  registry: ResourceRegistry,
): ResourceDefinition {
  const { group, version } = readGroupVersion(apiVersion);
  const found = registry.all.find(
    (each) => each.group === group && each.version === version && each.kind === kind,
  );
  if (found === undefined) {
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
    );
  }
  return found;
}

/**
 * The objects that a binding's paramRef selects. The policy is evaluated for each of them, or once with
 * `params` null if the binding has no paramRef. As CollectParams of
 * k8s.io/apiserver/pkg/admission/plugin/policy/generic. Throws a ConfigurationError.
 */
export function paramsOf(
  definition: ResourceDefinition,
  reference: ParamRef | undefined,
  namespace: string,
  storage: Storage,
): readonly (KubeObject | null)[] {
  if (reference === undefined) {
    return [null];
  }
  const within = namespaceOf(definition, reference, namespace);
  const found = lookUp(definition, reference, within, storage);
  if (found.length === 0 && reference.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => definition.conversion?.fromStored(object) ?? object);
}

function namespaceOf(
  { namespaced }: ResourceDefinition,
  { namespace = '' }: ParamRef,
  ofRequest: string,
): string {
  if (!namespaced) {
    if (namespace !== '') {
      throw new ConfigurationError(
        'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
      );
    }
    return '';
  }
  const within = namespace === '' ? ofRequest : namespace;
  if (within === '') {
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  return within;
}

function lookUp(
  definition: ResourceDefinition,
  { name = '', selector }: ParamRef,
  namespace: string,
  storage: Storage,
): readonly KubeObject[] {
  const keyspace = keyspaceOf(definition);
  if (name !== '') {
    const entry = storage.get(keyspace, namespace, name);
    return entry === undefined ? [] : [shown(definition, entry).object];
  }
  const matches = matcherOf(selector);
  return storage
    .list(keyspace)
    .map((entry) => shown(definition, entry))
    .filter((entry) => entry.namespace === namespace && matches(entry.object.metadata.labels))
    .map(({ object }) => object);
}

/**
 * Returns the params in the version of the paramKind. A conversion webhook was called before
 * (policy-conversions.ts); if the conversion is missing, this reports what the real server reports for a kind
 * that it has not synced yet.
 */
function shown(definition: ResourceDefinition, entry: Entry): Entry {
  if (definition.askedConversion === undefined) {
    return entry;
  }
  const converted = knownConversion(definition, entry);
  if (converted === undefined) {
    const kind = printKind({ apiVersion: apiVersionOf(definition), kind: definition.kind });
    throw new ConfigurationError(`paramKind kind \`${kind}\` not yet synced to use for admission`);
  }
  return converted;
}
