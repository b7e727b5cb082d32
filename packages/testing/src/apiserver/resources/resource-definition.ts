import type { FieldError } from '../meta/field-error.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { NameRule } from '../meta/names.ts';
import type { GroupName } from '../meta/status-error.ts';
import type { TableColumn } from './table-columns.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The clock of the request, milliseconds since the epoch. */
export interface StrategyContext {
  readonly now: number;
}

export interface CreateContext extends StrategyContext {
  /** Takes what goes into Warning headers, and would be seen no more in the prepared object. */
  readonly warn: (text: string) => void;
}

/** What a write to the status subresource may touch; all else comes from the stored object. */
export interface StatusStrategy {
  /** Takes back, from what was sent, everything a status write may not change. Default: spec, nothing else. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** What a client is warned of whose write is valid. Default: nothing, whatever the object has. */
  warnings?(object: KubeObject): readonly string[];
  /** What of metadata it takes back as well, so that nobody comes to own it that way. Default: none. */
  readonly keptMetadata?: 'all' | readonly string[];
}

/** A kind served in a second group from the same stored objects. */
export interface Conversion {
  /** The definition in whose keyspace and form the objects are stored. */
  readonly storedAs: GroupName;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/**
 * All the server knows about one kind. Adding a kind, built-in or custom, is adding one of these; no handler names a kind.
 * The functions work on a fresh decoded object and may change it in place.
 */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Default: all eight. */
  readonly verbs?: readonly Verb[];
  /** The struct in the schema data. Without one, bodies are kept as they come apart from metadata, as for a CRD that preserves unknown fields. */
  readonly struct?: string;
  readonly nameRule: NameRule;
  /** Finalizers need not be standard ones or have a domain. Default: they must, unless the kind has no struct. */
  readonly takesAnyFinalizer?: boolean;
  readonly conversion?: Conversion;
  readonly storageVersionHash?: string;
  /** Created, answered and never stored: the server asks a function of its own. Only for kinds it knows. Default false. */
  readonly isReview?: boolean;

  /** What Go writes of an empty one besides its zero values: as in bookmarks, converted from the server's own types. */
  readonly emptyFields?: JsonObject;
  /** Starts at 1 and is raised by a change outside metadata and status. Default false. */
  readonly hasGeneration?: boolean;
  /** PUT without resourceVersion is taken as "whatever is there". Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** PUT of an absent name creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /**
   * What is stored of a new object lacks a default that shows whenever it is read (a claim's phase); so the first write
   * after it is one even if it changes nothing. Default false.
   */
  readonly isStoredUndefaulted?: boolean;
  /** DELETE answers with the object rather than a Status. Default false. */
  readonly returnsDeletedObject?: boolean;

  /** Fields offered to field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Whether the real server words an unknown field as its older conversion functions do. */
  readonly hasFieldLabelConversion?: boolean;

  /** Defaults, applied to every object decoded from a client. */
  applyDefaults?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: CreateContext): void;
  validate?(object: KubeObject): readonly FieldError[];
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** What a client is warned of whose write is valid, in the order of the headers; `old` is undefined for a new object. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  readonly status?: StatusStrategy;
  /** Served subresource `scale`, as autoscaling/v1 Scale over these fields. */
  readonly hasScale?: boolean;
  /** Further subresources, by name, with the kind they take. For discovery; the handlers are registered beside. */
  readonly actions?: readonly SubresourceAction[];

  /** Seconds of graceful deletion for an object that is not yet terminating; absent for kinds that have none. */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
  /** A reason to keep a terminating object without finalizers (a namespace's spec.finalizers). */
  isHeld?(object: KubeObject): boolean;
  /** Marks an object terminating where it is done otherwise than by grace period (namespaces). */
  markTerminating?(object: KubeObject, context: StrategyContext): void;

  readonly columns: readonly TableColumn[];
  cells(object: KubeObject, context: StrategyContext): readonly Json[];
}

export interface SubresourceAction {
  readonly name: string;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  readonly struct: string;
}

export function groupResource(definition: ResourceDefinition): GroupName {
  return { group: definition.group, name: definition.plural };
}

export function isNamespace({ group, kind }: ResourceDefinition): boolean {
  return group === '' && kind === 'Namespace';
}

/** The kind as messages of validation name it: validation sees the stored form. */
export function groupKind(definition: ResourceDefinition): GroupName {
  return { group: (definition.conversion?.storedAs ?? definition).group, name: definition.kind };
}

export function apiVersionOf(definition: ResourceDefinition): string {
  return definition.group === '' ? definition.version : `${definition.group}/${definition.version}`;
}

/** The name of the keyspace the objects are stored in. */
export function keyspaceOf(definition: ResourceDefinition): string {
  const { group, name } = definition.conversion?.storedAs ?? groupResource(definition);
  return group === '' ? name : `${group}/${name}`;
}
