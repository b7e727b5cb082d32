import type { KubernetesObject, ObjectMeta } from '@holdfast/core';

/*
 * What is written is less than what is read: nobody gives a UID. And a field that is spelled wrong, `spec: { replcas: 2 }`, must not compile: the API server
 * leaves out what it does not know, with a warning at the most.
 */

/**
 * An object to be created. `apiVersion` and `kind` are those of the resource; a field that is undefined is not sent.
 *
 * A type that has nothing but metadata and `status` tells what is read only, and then any object is taken. So it is for what is created at a path of a subresource
 * (`pods/web/binding`), which is of another kind.
 *
 * @typeParam Written of a kind that is read otherwise than it is written, since the server fills in its defaults: `draft` of the resource.
 */
export type Draft<T extends KubernetesObject, Plural extends string = string, Written = unknown> =
  TellsWhatIsRead<T, Plural> extends true
    ? object
    : unknown extends Written
      ? Given<Omit<T, 'metadata'>> & { readonly metadata?: DraftMeta }
      : Given<Written> & { readonly metadata?: DraftMeta };

/**
 * The fields that an applier has an opinion on, and no others: what it leaves out it gives up. The name and the namespace are those of the
 * reference.
 */
export type ApplyConfiguration<T extends KubernetesObject> =
  TellsWhatIsRead<T, string> extends true
    ? object
    : Some<Omit<T, 'metadata'>> & { readonly metadata?: DraftMeta };

/**
 * A JSON Merge Patch (RFC 7386): a field is replaced, `null` takes it away, and one that is left out or undefined stays. A list is replaced
 * as a whole.
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

/** The same, in which what is optional may be undefined too. */
type Given<T> = unknown extends T
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Given<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Given<T[Key]> | UndefinedIfOptional<T, Key> }
      : T;

/** The same, of which anything may be left out. */
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
