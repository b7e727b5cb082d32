import type { KubernetesObject, ObjectMeta } from '@holdfast/core';

/*
 * Clients write less than they read: for example, they give no UID. A misspelled field, `spec: { replcas: 2
 * }`, must not compile, since the API server drops unknown fields, with at most a warning.
 */

/**
 * An object to be created. `apiVersion` and `kind` are those of the resource; an undefined field is not sent.
 *
 * A type with nothing but metadata and `status` describes only what is read, so any object is accepted for
 * it. The same holds for what is created at the path of a subresource (`pods/web/binding`), since that is of
 * another kind.
 *
 * @typeParam Written for a kind that is written in another form than it is read, because the server fills in
 *   its defaults: `draft` of the resource.
 */
export type Draft<T extends KubernetesObject, Plural extends string = string, Written = unknown> =
  TellsWhatIsRead<T, Plural> extends true
    ? object
    : unknown extends Written
      ? Given<Omit<T, 'metadata'>> & { readonly metadata?: DraftMeta }
      : Given<Written> & { readonly metadata?: DraftMeta };

/**
 * The fields that an applier wants to own, and no others: it gives up fields that it leaves out. The name and
 * the namespace are those of the reference.
 */
export type ApplyConfiguration<T extends KubernetesObject> =
  TellsWhatIsRead<T, string> extends true
    ? object
    : Some<Omit<T, 'metadata'>> & { readonly metadata?: DraftMeta };

/**
 * A JSON Merge Patch (RFC 7386): a given field is replaced, `null` removes it, and a field that is left out
 * or undefined stays. A list is replaced as a whole.
 */
export type MergePatch<T extends KubernetesObject> =
  TellsWhatIsRead<T, string> extends true
    ? object
    : Changed<Omit<T, 'metadata'>> & { readonly metadata?: Changed<Partial<ObjectMeta>> };

type DraftMeta = Given<Partial<ObjectMeta>>;

type TellsWhatIsRead<T extends KubernetesObject, Plural extends string> = Plural extends `${string}/${string}`
  ? true
  : [Exclude<keyof T, keyof KubernetesObject | 'status'>] extends [never]
    ? true
    : false;

/** The same type, with undefined allowed in optional fields. */
type Given<T> = unknown extends T
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Given<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Given<T[Key]> | UndefinedIfOptional<T, Key> }
      : T;

/** The same type, with every field optional. */
type Some<T> = unknown extends T
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Some<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]?: Some<T[Key]> | undefined }
      : T;

type Changed<T> = unknown extends T
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Given<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]?: Changed<T[Key]> | null | undefined }
      : T;

type UndefinedIfOptional<T, Key extends keyof T> = object extends Pick<T, Key> ? undefined : never;
