/** A program to run and its arguments. */
export interface Program {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
}
