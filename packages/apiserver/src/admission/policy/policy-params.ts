import { printKind, readGroupVersion } from '../../meta/group-version.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { ParamKind } from '../../resources/admission-policy-spec.ts';
import { knownConversion } from '../../resources/converted-entries.ts';
import type { ParamRef } from '../../resources/policy-binding.ts';
import type { ResourceRegistry } from '../../resources/registry.ts';
import { type ResourceDefinition, apiVersionOf, keyspaceOf } from '../../resources/resource-definition.ts';
import { matcherOf } from '../../selectors/label-selector.ts';
import type { Entry, Storage } from '../../storage/storage.ts';

/** What is wrong with a policy or a binding as it stands; a failure, for failurePolicy to judge. */
export class ConfigurationError extends Error {}

/** The kind of a policy's params. Throws a ConfigurationError where it is not served. */
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
 * The objects that a binding refers to: the policy is evaluated for each of them, with `params` of null where the binding has no reference.
 * As CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic. Throws a ConfigurationError.
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

/** Params that a webhook converts are converted before: what is not by now is, to the real server, a kind that it does not know yet. */
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
