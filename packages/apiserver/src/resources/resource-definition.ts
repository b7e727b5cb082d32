import type { FieldError } from '../meta/field-error.ts';
import type { Json, JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { NameRule } from '../meta/names.ts';
import type { Preconditions } from '../meta/preconditions.ts';
import type { GroupName } from '../meta/status-error.ts';
import type { After } from '../meta/timer.ts';
import type { Verb } from '../meta/verb.ts';
import type { Storage } from '../storage/storage.ts';
import type { SchemaNode } from '../structural/schema-node.ts';
import type { TableColumn } from './table-columns.ts';
import type { TokenClaims } from './token-claims.ts';

/** The time of the request, in milliseconds since the epoch. */
export interface StrategyContext {
  readonly now: number;
}

/** The sender of a request, in the form in which objects record it. */
export interface Requester {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface WriteContext extends StrategyContext {
  /** The objects that are already stored. */
  readonly storage: Storage;
  /** Whether nothing will be stored. */
  readonly isDryRun: boolean;
}

export interface CreateContext extends WriteContext {
  readonly requester: Requester;
  /** The uid of the new object. */
  readonly uid: string;
  /** Adds a Warning header about something that the prepared object no longer shows. */
  readonly warn: (text: string) => void;
}

/**
 * What a write to the status subresource, or to another part of the object, may change. All other fields come
 * from the stored object.
 */
export interface StatusStrategy {
  /** Restores everything in the sent object that the write must not change. Default: nothing. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** The warnings for a valid write. Default: none. */
  warnings?(object: KubeObject): readonly string[];
  /** The metadata that it restores too, so that no manager owns it by such a write. Default: none. */
  readonly keptMetadata?: 'all' | readonly string[];
  /** Fields of the status that no manager owns by such a write. Default: none. */
  readonly unownedStatus?: readonly string[];
}

/** The paths of the fields that a Scale shows, as lists of field names. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The path of a label selector, as an object or as text. Default: a Scale shows no selector. */
  readonly selector?: readonly string[];
  /** Instead of a selector: the path of labels, all of which a pod must have. */
  readonly selectedLabels?: readonly string[];
  /** Whether an object without replicas in its spec has no Scale. Default false. */
  readonly isSpecRequired?: boolean;
}

/** A kind served in a second group from the same stored objects. */
export interface Conversion {
  /** The definition in whose keyspace and form the objects are stored. */
  readonly storedAs: GroupName;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/** Conversion between the versions of a kind by a webhook. Every call may reject with StatusError. */
export interface AskedConversion {
  /**
   * Converts stored objects of any version to the definition's version. Calls the webhook once for all
   * objects of other versions, and not at all if there are none.
   */
  fromStored(objects: readonly KubeObject[]): Promise<readonly KubeObject[]>;
  /** Converts an object of the definition's version to the stored version. */
  toStored(object: KubeObject): Promise<KubeObject>;
  /** Converts an object of any version to another one, as the webhook returns it. */
  inVersion(object: KubeObject, apiVersion: string): Promise<KubeObject>;
  /** The definition of another version of the kind, whether or not it is served. */
  definitionOf(apiVersion: string): ResourceDefinition | undefined;
}

/**
 * Everything that the server knows about one kind. To add a kind, built-in or custom, is to add one of these;
 * no handler names a kind. The functions receive a freshly decoded object and may change it in place.
 */
export interface ResourceDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Default: all eight verbs. */
  readonly verbs?: readonly Verb[];
  /**
   * The struct in the schema data. Without one, bodies are kept as they are except for metadata, as for a
   * CustomResourceDefinition that preserves unknown fields.
   */
  readonly struct?: string;
  /** For a kind without a struct: the schema of its objects. Fields that it does not name are pruned. */
  readonly schema?: SchemaNode;
  readonly nameRule: NameRule;
  /**
   * Whether finalizers need not be standard ones or have a domain. Default: only if the kind has no struct.
   */
  readonly takesAnyFinalizer?: boolean;
  /**
   * Whether errors in the metadata of a new object are reported only if there are no others. Default false.
   */
  readonly judgesMetadataLast?: boolean;
  readonly conversion?: Conversion;
  /**
   * Replaces `conversion`. Stored objects are converted before any other code sees them: see
   * converted-entries.ts.
   */
  readonly askedConversion?: AskedConversion;
  readonly storageVersionHash?: string;
  /**
   * Whether no more objects can be created, because the kind's definition is being deleted. Default: never.
   */
  isTerminating?(): boolean;
  /** A Warning header that every response carries. Default none. */
  readonly deprecation?: string;
  /**
   * Whether the kind is a review: its create answers a question and stores nothing. Only for kinds that auth
   * answers. Default false.
   */
  readonly isReview?: boolean;
  /**
   * For a kind that is not stored and has only `get` and `list`: determines the current objects. An empty
   * name means all of them. Default: the stored objects are read.
   */
  observe?(after: After, name: string): Promise<readonly KubeObject[]>;

  /**
   * Annotations that stand for fields of the spec. Requests for metadata only do not show them. Default none.
   */
  readonly specAnnotations?: readonly string[];
  /**
   * What Go writes for an empty object in addition to its zero values. Bookmarks show it, because they are
   * converted from the server's internal types.
   */
  readonly emptyFields?: JsonObject;
  /**
   * Whether metadata.generation starts at 1 and increases with each change outside metadata and status.
   * Default false.
   */
  readonly hasGeneration?: boolean;
  /** Whether the generation increases with changes of annotations too. Default false. */
  readonly countsAnnotations?: boolean;
  /** Whether the generation increases with changes of labels too. Default false. */
  readonly countsLabels?: boolean;
  /** Whether the generation stays 1. Default false. */
  readonly keepsGeneration?: boolean;
  /** Whether a PUT without a resourceVersion replaces any version. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether a PUT to an absent name creates the object. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether no manager owns fields of the spec. Default false. */
  readonly ownsNoSpec?: boolean;
  /**
   * Whether a new object is stored without a default that it shows when it is read (a claim's phase). Its
   * first update then changes the stored object, even if the client changes nothing. Default false.
   */
  readonly isStoredUndefaulted?: boolean;
  /**
   * A deletion without a propagationPolicy orphans the dependents, and sends this text in a Warning header
   * unless it is empty. Default: the object is deleted without waiting for its dependents.
   */
  readonly orphansByDefault?: string;
  /**
   * Whether its objects never have dependents, so that their deletion never waits for the garbage collector,
   * whatever policy the client asks for. Default false.
   */
  readonly neverOwns?: boolean;
  /**
   * Whether a deletion has the uid of the object that was found as a precondition, which webhooks see.
   * Default false.
   */
  readonly isDeletedByUid?: boolean;
  /** Returns why the object with the name must not be deleted; undefined if it may be. Default: it may be. */
  refuseDeletion?(name: string): string | undefined;
  /** Whether DELETE answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean;

  /** The fields for field selectors in addition to metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Whether the real server reports an unknown field in the words of its older conversion functions. */
  readonly hasFieldLabelConversion?: boolean;

  /**
   * How far sent objects are validated: `schema` by the published OpenAPI alone. Default: by the real
   * server's rules.
   */
  readonly validation?: 'schema';
  /**
   * Applies defaults to an object that a client sent. With `keepsNulls`, nulls without a default stay.
   * Default: they are removed.
   */
  applyDefaults?(object: KubeObject, keepsNulls?: boolean): void;
  /**
   * Removes fields that the real server stores but does not return, except in the response to a deletion.
   * Default: none.
   */
  hide?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: CreateContext): void;
  validate?(object: KubeObject): readonly FieldError[];
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** The warnings for a valid write, in the order of the headers; `old` is undefined for a new object. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  readonly status?: StatusStrategy;
  /**
   * The paths for the subresource `scale`, which shows the replicas as autoscaling/v1 Scale. Default: it is
   * not served.
   */
  readonly scale?: ScalePaths;
  /**
   * Further subresources that read and write the object, each by its own rules, such as a signing request's
   * `approval`.
   */
  readonly parts?: Readonly<Record<string, StatusStrategy>>;
  /**
   * For a kind that is not stored: its create runs this action of another resource of the group, on the
   * object with its name.
   */
  readonly createdAs?: { readonly plural: string; readonly action: string };
  /** Further subresources. */
  readonly actions?: readonly SubresourceAction[];

  /**
   * The grace period in seconds for an object that is not yet terminating. Undefined for kinds without
   * graceful deletion.
   */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
  /**
   * Whether a terminating object must stay although it has no finalizers (because of a namespace's
   * spec.finalizers).
   */
  isHeld?(object: KubeObject): boolean;
  /**
   * Says in a terminating object, after its first DELETE, that it is terminating. For kinds (namespaces, definitions of
   * custom kinds) that only a later request removes, and that get no grace period by the first.
   */
  markTerminating?(object: KubeObject, context: StrategyContext): void;
  /** Whether the propagation policy of the DELETE that marks an object is ignored. Default: false. */
  readonly ignoresFirstPolicy?: boolean;

  readonly columns: readonly TableColumn[];
  /**
   * Compares objects for the rows of a list's Table; below 0: `a` comes first. Default: the order of the
   * list.
   */
  compareRows?(a: KubeObject, b: KubeObject): number;
  /** The conditions of a row of a Table, such as that a pod has completed. Default none. */
  rowConditions?(object: KubeObject): readonly JsonObject[];
  cells(object: KubeObject, context: StrategyContext): readonly Json[];
}

/** A subresource that is neither the object nor its status: the kind that it accepts, and what it does. */
export interface SubresourceAction {
  readonly name: string;
  /** The group of the accepted kind. Default: group and version of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** The struct of the accepted kind in the schema data. */
  readonly struct: string;
  /** Whether no manager owns the status that is sent. Default false. */
  readonly keepsStatus?: boolean;
  /**
   * Carries out the action for the body, which is decoded and has the namespace of the path. Throws
   * StatusError.
   */
  serve(body: KubeObject, server: ActionServer): Promise<ActionResult>;
}

export type ActionResult =
  /** 201 with a Status that reports success. */
  | { readonly kind: 'done' }
  /** 201 with the created object, of the kind that the action accepts. */
  | { readonly kind: 'created'; readonly object: KubeObject }
  /** 200 with the object of the resource as it was written, in the form that the client asked for. */
  | { readonly kind: 'updated'; readonly object: KubeObject };

/** What the server does for an action on the object that the path names. Every call may throw StatusError. */
export interface ActionServer {
  readonly name: string;
  readonly namespace: string;
  readonly isDryRun: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs admission for the action with `object`, which mutating plugins change in place. */
  admit(object: KubeObject): Promise<void>;
  /** Returns the current object. Throws 404. */
  current(): KubeObject;
  /** Returns another object in the namespace of the path. Throws 404. */
  read(definition: ResourceDefinition, name: string): KubeObject;
  /** Returns all objects of another kind in the namespace of the path. */
  list(definition: ResourceDefinition): readonly KubeObject[];
  /**
   * Writes the status of an object of another kind on behalf of the server, to storage before it returns.
   * Rejects with 404 and 409.
   */
  writeStatus(definition: ResourceDefinition, object: KubeObject): Promise<void>;
  /**
   * Writes the object that `make` returns, once the action was admitted. Because the server writes these
   * fields, the kind's validation does not run and no manager owns them. As `status`, the object passes
   * through the kind's strategy for that subresource; as `action`, it is stored unchanged. May call `make`
   * again. Throws 404.
   */
  change(as: 'action' | 'status', make: (existing: KubeObject) => KubeObject): Promise<KubeObject>;
  /**
   * Replaces the object like a PUT by the client, with `prepare` in place of the kind's strategy. Throws 404,
   * 409, 422.
   */
  replace(body: KubeObject, prepare: (object: KubeObject, old: KubeObject) => void): Promise<KubeObject>;
  /** Deletes the object, once the action was admitted. Throws 404, 409. */
  delete(deletion: ActionDeletion): Promise<void>;
  /**
   * Signs a token of a service account.
   *
   * @param issuedAt in seconds since the epoch
   */
  issueToken(claims: TokenClaims, issuedAt: number): string;
}

export interface ActionDeletion {
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: Preconditions;
  readonly isDryRun: boolean;
}

const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** The verbs of the kind itself, in the order in which discovery lists them. */
export function verbsOf({ verbs = allVerbs }: ResourceDefinition): readonly Verb[] {
  return verbs;
}

/** Whether finalizers of its objects need not be standard ones or have a domain. */
export function takesAnyFinalizer({
  struct,
  takesAnyFinalizer: isFree = struct === undefined,
}: ResourceDefinition): boolean {
  return isFree;
}

export function groupResource(definition: ResourceDefinition): GroupName {
  return { group: definition.group, name: definition.plural };
}

export function isNamespace({ group, kind }: ResourceDefinition): boolean {
  return group === '' && kind === 'Namespace';
}

/** The kind that validation messages name, which is the stored one. */
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
