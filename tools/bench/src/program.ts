/** A program to run and its arguments. */
export interface Program {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
}
