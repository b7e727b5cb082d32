import type { ApiClient } from '@holdfast/runtime';
import type { Companion } from './companions.ts';
import type { Narrator } from './narrator.ts';

/** Shows what one controller does, as its users see it. */
export interface Story {
  /** Folder below `apps/`. */
  readonly app: string;
  /** What it shows, in a line. */
  readonly heading: string;
  /** What else has to run by then; they stay for the stories that follow. */
  readonly companions: readonly Companion[];
  /**
   * Runs before the controller is started.
   *
   * @param folder for files on disk; it is removed at the end
   */
  prepare(folder: string): Promise<PreparedStory>;
}

export interface PreparedStory {
  /** Flags of the controller in addition to the usual ones. */
  readonly args: readonly string[];
  /** @throws StoryFailed if a step does not hold; the signal's reason if it is aborted */
  play(client: ApiClient, narrator: Narrator, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
