import { prefersProtobuf, protobuf } from '../http/negotiation.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import type { Verb } from '../meta/verb.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { type ResourceDefinition, verbsOf } from '../resources/resource-definition.ts';

/*
 * Discovery of groups, versions and resources, in the older form (one document per group version) and in the
 * aggregated one.
 */

const customVerbs: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
const statusVerbs: readonly Verb[] = ['get', 'patch', 'update'];

export interface DiscoveryDocument {
  readonly contentType: string;
  readonly body: JsonObject;
  /** The name of the document's type in the schema data. */
  readonly struct: string;
  readonly isProtobuf: boolean;
}

/** Returns undefined if the path is not a discovery path. */
export function discover(
  registry: ResourceRegistry,
  path: string,
  accept: string | undefined,
  host: string,
): DiscoveryDocument | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const isProtobuf = prefersProtobuf(accept);
  const plain = (body: JsonObject & { readonly kind: string }): DiscoveryDocument => ({
    contentType: isProtobuf ? protobuf : 'application/json',
    body,
    struct: `meta.v1.${body.kind}`,
    isProtobuf,
  });
  if (parts[0] === 'api') {
    if (parts.length === 1) {
      return aggregated(registry, accept, (group) => group === '') ?? plain(coreVersions(host));
    }
    return parts.length === 2 && registry.hasGroupVersion('', parts[1] ?? '')
      ? plain(resourceList(registry, '', parts[1] ?? ''))
      : undefined;
  }
  if (parts[0] !== 'apis') {
    return undefined;
  }
  if (parts.length === 1) {
    return aggregated(registry, accept, (group) => group !== '') ?? plain(groupList(registry));
  }
  const group = parts[1] ?? '';
  const versions = versionsOf(registry, group);
  if (group === '' || versions.length === 0) {
    return undefined;
  }
  if (parts.length === 2) {
    return plain({ kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group, versions) });
  }
  const version = parts[2] ?? '';
  return parts.length === 3 && versions.includes(version)
    ? plain(resourceList(registry, group, version))
    : undefined;
}

function coreVersions(host: string): JsonObject & { kind: string } {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  };
}

function groupsOf(registry: ResourceRegistry): string[] {
  return [...new Set(registry.all.map((definition) => definition.group))];
}

function versionsOf(registry: ResourceRegistry, group: string): string[] {
  const found = registry.all.filter((definition) => definition.group === group);
  return [...new Set(found.map((definition) => definition.version))];
}

function groupList(registry: ResourceRegistry): JsonObject & { kind: string } {
  const groups = groupsOf(registry)
    .filter((group) => group !== '')
    .map((group) => groupBody(group, versionsOf(registry, group)));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

function groupBody(group: string, versions: readonly string[]): JsonObject {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] ?? null };
}

function resourceList(
  registry: ResourceRegistry,
  group: string,
  version: string,
): JsonObject & { kind: string } {
  const resources = registry.all
    .filter((definition) => definition.group === group && definition.version === version)
    .flatMap((definition) => [
      {
        name: definition.plural,
        singularName: definition.singular,
        namespaced: definition.namespaced,
        kind: definition.kind,
        verbs: listedVerbs(definition),
        ...lists(definition),
        ...(definition.storageVersionHash === undefined
          ? undefined
          : { storageVersionHash: definition.storageVersionHash }),
      },
      ...listedSubresources(definition).map(({ name, kind, verbs, ...rest }) => ({
        name: `${definition.plural}/${name}`,
        singularName: '',
        namespaced: definition.namespaced,
        ...(rest.group === definition.group && rest.version === definition.version ? undefined : rest),
        kind,
        verbs: [...verbs],
      })),
    ]);
  const groupVersion = group === '' ? version : `${group}/${version}`;
  // The list of the core group never got an apiVersion; it dates from when that was the only group.
  const apiVersion = group === '' ? undefined : { apiVersion: 'v1' };
  return { kind: 'APIResourceList', ...apiVersion, groupVersion, resources };
}

/**
 * The verbs in the order of the older form, where the real server lists those of custom kinds in another
 * order.
 */
function listedVerbs(definition: ResourceDefinition): Verb[] {
  return definition.struct === undefined ? [...customVerbs] : [...verbsOf(definition)];
}

function listedSubresources(definition: ResourceDefinition): readonly Subresource[] {
  const found = subresourcesOf(definition);
  return definition.struct === undefined ? found.toReversed() : found;
}

function lists({ shortNames, categories }: ResourceDefinition): JsonObject {
  return {
    ...(shortNames === undefined ? undefined : { shortNames: [...shortNames] }),
    ...(categories === undefined ? undefined : { categories: [...categories] }),
  };
}

interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

function subresourcesOf(definition: ResourceDefinition): Subresource[] {
  const { group, version, kind } = definition;
  const found: Subresource[] = (definition.actions ?? []).map((action) => ({
    name: action.name,
    group: action.group ?? group,
    version: action.version ?? version,
    kind: action.kind,
    verbs: action.verbs,
  }));
  if (definition.scale !== undefined) {
    found.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: statusVerbs });
  }
  for (const name of Object.keys(definition.parts ?? {})) {
    found.push({ name, group, version, kind, verbs: statusVerbs });
  }
  if (definition.status !== undefined) {
    found.push({ name: 'status', group, version, kind, verbs: statusVerbs });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const aggregatedForm = /(application\/(?:json|vnd\.kubernetes\.protobuf))\s*;[^,]*as=APIGroupDiscoveryList/;

/** Returns one document with all groups, if the client asks for that form. */
function aggregated(
  registry: ResourceRegistry,
  accept: string | undefined,
  includes: (group: string) => boolean,
): DiscoveryDocument | undefined {
  const [wanted, type] = aggregatedForm.exec(accept ?? '') ?? [];
  if (wanted === undefined || !wanted.includes('v=v2') || wanted.includes('v=v2beta1')) {
    return undefined;
  }
  const items = groupsOf(registry)
    .filter(includes)
    .map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(registry, group).map((version) => ({
        version,
        resources: registry.all
          .filter((definition) => definition.group === group && definition.version === version)
          .map(aggregatedResource),
        freshness: 'Current',
      })),
    }));
  return {
    contentType: `${type};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    struct: 'apidiscovery.v2.APIGroupDiscoveryList',
    isProtobuf: type === protobuf,
    body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items },
  };
}

function aggregatedResource(definition: ResourceDefinition): JsonObject {
  const subresources: Json[] = subresourcesOf(definition).map((subresource) => ({
    subresource: subresource.name,
    responseKind: responseKind(definition, subresource),
    verbs: [...subresource.verbs],
  }));
  return {
    resource: definition.plural,
    responseKind: responseKind(definition, definition),
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: [...verbsOf(definition)],
    ...lists(definition),
    ...(subresources.length === 0 ? undefined : { subresources }),
  };
}

/** An empty group and version mean those of the surrounding document. */
function responseKind(
  definition: ResourceDefinition,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): JsonObject {
  const isOwn = group === definition.group && version === definition.version;
  return isOwn ? { group: '', version: '', kind } : { group, version, kind };
}
