/** What a process that plays mutants is to do. */
export interface ToPlayer {
  /** Paths from the root of the repository. */
  readonly file: string;
  readonly tests: readonly string[];
  /** Mutants to be played, in this order. */
  readonly ids: readonly number[];
  /** The mutant that is switched on before anything is loaded; undefined: none, and the tests run without any first and last. */
  readonly loadedWith: number | undefined;
  /** Of one test, milliseconds. */
  readonly testTimeout: number;
}

export type FromPlayer =
  /** `id` undefined: the tests without a mutant. */
  | { readonly kind: 'begun'; readonly id: number | undefined }
  /** `killedBy`: the test that failed; undefined: none did. */
  | { readonly kind: 'played'; readonly id: number | undefined; readonly killedBy: string | undefined }
  /** After all mutants, without one: the test that failed, since a mutant has left something behind. */
  | { readonly kind: 'atEnd'; readonly failed: string | undefined }
  /** The file or a test can't be loaded, or their tests can't be run. */
  | { readonly kind: 'notLoaded'; readonly why: string };
