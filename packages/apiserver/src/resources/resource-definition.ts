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

/** The clock of the request, milliseconds since the epoch. */
export interface StrategyContext {
  readonly now: number;
}

/** Who sends a request, as the objects that keep it have it. */
export interface Requester {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface WriteContext extends StrategyContext {
  /** What is there already. */
  readonly storage: Storage;
  /** Nothing will be stored. */
  readonly isDryRun: boolean;
}

export interface CreateContext extends WriteContext {
  readonly requester: Requester;
  /** Of the new object. */
  readonly uid: string;
  /** Takes the text of a Warning header about something that the prepared object no longer shows. */
  readonly warn: (text: string) => void;
}

/** What a write to the status subresource, or to another part of the object, may touch; all else comes from the stored object. */
export interface StatusStrategy {
  /** Puts back, in what was sent, everything that a status write must not change. Default: nothing. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** The warnings for a valid write. Default: none. */
  warnings?(object: KubeObject): readonly string[];
  /** The metadata that it puts back as well, so that a status write makes nobody its owner. Default: none. */
  readonly keptMetadata?: 'all' | readonly string[];
  /** Fields of the status that nobody comes to own by such a write. Default: none. */
  readonly unownedStatus?: readonly string[];
}

/** Fields by their steps. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Of a label selector, or of one written as text. Default: none is shown. */
  readonly selector?: readonly string[];
  /** Of labels, all of which an object must have: instead of a selector. */
  readonly selectedLabels?: readonly string[];
  /** Without replicas in its spec, an object has no Scale. Default false. */
  readonly isSpecRequired?: boolean;
}

/** A kind served in a second group from the same stored objects. */
export interface Conversion {
  /** The definition in whose keyspace and form the objects are stored. */
  readonly storedAs: GroupName;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/** Between the versions of a kind, by a webhook that has to be asked. Every call may throw StatusError. */
export interface AskedConversion {
  /** Objects as storage has them, of any version, in the definition's: asks once for all of another version, and nobody where there are none. */
  fromStored(objects: readonly KubeObject[]): Promise<readonly KubeObject[]>;
  /** An object of the definition's version as it is to be stored. */
  toStored(object: KubeObject): Promise<KubeObject>;
  /** An object of any version in another one, as the webhook made it. */
  inVersion(object: KubeObject, apiVersion: string): Promise<KubeObject>;
  /** Another version of the kind, whether it is served or not. */
  definitionOf(apiVersion: string): ResourceDefinition | undefined;
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
  /** Default: the kind and `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Default: all eight. */
  readonly verbs?: readonly Verb[];
  /** The struct in the schema data. Without one, bodies are kept as they come apart from metadata, as for a CRD that preserves unknown fields. */
  readonly struct?: string;
  /** For a kind without a struct: what its objects look like. What it does not name is pruned. */
  readonly schema?: SchemaNode;
  readonly nameRule: NameRule;
  /** Finalizers need not be standard ones or have a domain. Default: they must, unless the kind has no struct. */
  readonly takesAnyFinalizer?: boolean;
  /** What is wrong with the metadata of a new object is said only where nothing else is. Default false. */
  readonly judgesMetadataLast?: boolean;
  readonly conversion?: Conversion;
  /** Instead of `conversion`. What is read from storage is converted before anything else sees it: see converted-entries.ts. */
  readonly askedConversion?: AskedConversion;
  readonly storageVersionHash?: string;
  /** Whether nothing of the kind is created any more, as its definition is deleted. Default: never. */
  isTerminating?(): boolean;
  /** The text of a Warning header that every answer carries. Default none. */
  readonly deprecation?: string;
  /** A review: its create answers a question, and nothing is stored. Only for the kinds that auth answers. Default false. */
  readonly isReview?: boolean;
  /**
   * Nothing of the kind is stored, and there are `get` and `list` alone: finds out how things are, of the object of that name or, where it is empty, of all.
   * Default: the stored objects are read.
   */
  observe?(after: After, name: string): Promise<readonly KubeObject[]>;

  /** Annotations that stand for fields of the spec, and that are not shown where metadata is asked for alone. Default none. */
  readonly specAnnotations?: readonly string[];
  /** What Go writes for an empty object besides its zero values, as in bookmarks, which are converted from the server's own types. */
  readonly emptyFields?: JsonObject;
  /** Starts at 1 and is raised by a change outside metadata and status. Default false. */
  readonly hasGeneration?: boolean;
  /** Raised by a change of annotations too. Default false. */
  readonly countsAnnotations?: boolean;
  /** Raised by a change of labels too. Default false. */
  readonly countsLabels?: boolean;
  /** Stays 1. Default false. */
  readonly keepsGeneration?: boolean;
  /** PUT without resourceVersion is taken as "whatever is there". Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** PUT of an absent name creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Nobody comes to own fields of the spec. Default false. */
  readonly ownsNoSpec?: boolean;
  /**
   * A new object is stored without a default that it shows whenever it is read (a claim's phase), so that the first write
   * after its creation counts as one even if it changes nothing. Default false.
   */
  readonly isStoredUndefaulted?: boolean;
  /**
   * A deletion that says nothing of the objects it owns leaves them, with this text in a Warning header unless it is empty. Default: nothing is done
   * before the object is gone.
   */
  readonly orphansByDefault?: string;
  /** Its objects own nothing: their deletion leaves no work to the garbage collector, whatever is asked for. Default false. */
  readonly neverOwns?: boolean;
  /** A deletion is of the very object that was found: its uid is a precondition, which webhooks are shown. Default false. */
  readonly isDeletedByUid?: boolean;
  /** Why the object of that name may not be deleted; undefined when it may. Default: it may. */
  refuseDeletion?(name: string): string | undefined;
  /** DELETE answers with the object rather than a Status. Default false. */
  readonly returnsDeletedObject?: boolean;

  /** Fields offered to field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Whether the real server words an unknown field as its older conversion functions do. */
  readonly hasFieldLabelConversion?: boolean;

  /**
   * How far what is sent is validated: `schema` by the published OpenAPI, `usual mistakes` by some of upstream's rules as well. Default: by upstream's
   * rules, as far as the README says.
   */
  readonly validation?: 'schema' | 'usual mistakes';
  /** Defaults, applied to every object decoded from a client. With `keepsNulls`, nulls without a default stay. Default: they go. */
  applyDefaults?(object: KubeObject, keepsNulls?: boolean): void;
  /** Takes away what the real server stores, and shows to nobody but who takes the object with it. Default nothing. */
  hide?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject, context: CreateContext): void;
  validate?(object: KubeObject): readonly FieldError[];
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  validateUpdate?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** The warnings for a valid write, in the order of the headers; `old` is undefined for a new object. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
  readonly status?: StatusStrategy;
  /** Where the subresource `scale`, the replicas as autoscaling/v1 Scale, finds what it shows. Default: it is not served. */
  readonly scale?: ScalePaths;
  /** Further subresources that read and write the object, each by rules of its own, such as a signing request's approval. */
  readonly parts?: Readonly<Record<string, StatusStrategy>>;
  /** Nothing of the kind is stored: its create is the action of that name, for the object of the other resource of the group that has its name. */
  readonly createdAs?: { readonly plural: string; readonly action: string };
  /** Further subresources. */
  readonly actions?: readonly SubresourceAction[];

  /** Seconds of graceful deletion for an object that is not yet terminating; absent for kinds that have none. */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
  /** A reason to keep a terminating object without finalizers (a namespace's spec.finalizers). */
  isHeld?(object: KubeObject): boolean;
  /** Marks an object terminating where it is done otherwise than by grace period (namespaces). */
  markTerminating?(object: KubeObject, context: StrategyContext): void;

  readonly columns: readonly TableColumn[];
  /** In which order the Table of a list has its rows; below 0: the first object comes first. Default: that of the list. */
  compareRows?(a: KubeObject, b: KubeObject): number;
  /** What a row of a Table says besides its cells, such as that a pod is through. Default nothing. */
  rowConditions?(object: KubeObject): readonly JsonObject[];
  cells(object: KubeObject, context: StrategyContext): readonly Json[];
}

/** A subresource that is neither the object nor its status: what it takes, and what it does. */
export interface SubresourceAction {
  readonly name: string;
  /** Of the kind it takes. Default: those of the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** Of the kind it takes, in the schema data. */
  readonly struct: string;
  /** What is sent of the status makes nobody its owner. Default false. */
  readonly keepsStatus?: boolean;
  /** Carries out what was sent, decoded to the kind and in the namespace of the path. Throws StatusError. */
  serve(body: KubeObject, server: ActionServer): Promise<ActionResult>;
}

export type ActionResult =
  /** 201 with a Status of success. */
  | { readonly kind: 'done' }
  /** 201 with what was made, of the kind that the action takes. */
  | { readonly kind: 'created'; readonly object: KubeObject }
  /** 200 with the resource's object as it was written, in the form that the client asked for. */
  | { readonly kind: 'updated'; readonly object: KubeObject };

/** What an action asks of the server, for the object that the path names. Every call may throw StatusError. */
export interface ActionServer {
  readonly name: string;
  readonly namespace: string;
  readonly isDryRun: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Asks admission about the action, showing it `object`, which mutating plugins change in place. */
  admit(object: KubeObject): Promise<void>;
  /** The object as it is now. Throws 404. */
  current(): KubeObject;
  /** Another one, in the namespace of the path. Throws 404. */
  read(definition: ResourceDefinition, name: string): KubeObject;
  /** All of another kind in the namespace of the path. */
  list(definition: ResourceDefinition): readonly KubeObject[];
  /** Writes the status of an object of another kind for the server's own ends, before it returns. Rejects with 404 and 409. */
  writeStatus(definition: ResourceDefinition, object: KubeObject): Promise<void>;
  /**
   * Writes what the action makes of the object, once it was admitted. These are fields for the server to write: the kind's
   * validation is not asked, and nobody comes to own them. Written as `status`, the object goes through the kind's strategy
   * for that subresource; written as `action`, it is stored as made. May call `make` again. Throws 404.
   */
  change(as: 'action' | 'status', make: (existing: KubeObject) => KubeObject): Promise<KubeObject>;
  /** Replaces the object as a PUT of the client does, with `prepare` instead of the kind's strategy. Throws 404, 409, 422. */
  replace(body: KubeObject, prepare: (object: KubeObject, old: KubeObject) => void): Promise<KubeObject>;
  /** Deletes the object, once the action was admitted. Throws 404, 409. */
  delete(deletion: ActionDeletion): Promise<void>;
  /** Signs a service account's token, issued at a time in seconds since the epoch. */
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

/** The verbs of the kind itself, in the order discovery shows them. */
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
