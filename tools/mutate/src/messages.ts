/** What a process that plays mutants has to do. */
export interface ToPlayer {
  /** Paths from the root of the repository. */
  readonly file: string;
  readonly tests: readonly string[];
  /** The mutants to play, in this order. */
  readonly ids: readonly number[];
  /**
   * The mutant that is switched on before anything is loaded. If undefined, none is, and the tests also run
   * without any mutant, first and last.
   */
  readonly loadedWith: number | undefined;
  /** The limit for one test, in milliseconds. */
  readonly testTimeout: number;
}

export type FromPlayer =
  /** `id` is undefined for the run without a mutant. */
  | { readonly kind: 'begun'; readonly id: number | undefined }
  /** `killedBy` is the test that failed; undefined if none did. */
  | { readonly kind: 'played'; readonly id: number | undefined; readonly killedBy: string | undefined }
  /**
   * The run without a mutant after all others. `failed` is the test that failed because a mutant has left
   * something behind.
   */
  | { readonly kind: 'atEnd'; readonly failed: string | undefined }
  /** The file or a test cannot be loaded, or the tests cannot be run. */
  | { readonly kind: 'notLoaded'; readonly why: string };
