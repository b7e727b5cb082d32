import type { Clock } from '@holdfast/runtime';
import type { VolumePage } from '../csi/csi-connection.ts';
import { CsiError } from '../csi/csi-error.ts';

/** Limits on a list. If a driver exceeds them, its list is not considered complete. */
export interface ListLimits {
  /** How many entries are requested at once. */
  readonly pageSize: number;
  /** The most entries on all pages. */
  readonly entries: number;
  readonly pages: number;
  /** The time for the whole list, in milliseconds; it is checked between two pages. */
  readonly time: number;
  /** How often the list can start over because a token was no longer valid. */
  readonly restarts: number;
}

export const listLimits: ListLimits = {
  pageSize: 1_000,
  entries: 1_000_000,
  pages: 10_000,
  time: 300_000,
  restarts: 3,
};

/**
 * Lists a driver's storage volumes page by page, without keeping any page.
 *
 * @param page requests one page; the token is empty for the first.
 * @param seen receives each handle, some of them again if the list starts over.
 * @returns why the list is incomplete; undefined if it is complete.
 * @throws what `page` throws, except for a token that is no longer valid (ABORTED).
 */
export async function listStorage(
  page: (maxEntries: number, startingToken: string) => Promise<VolumePage>,
  seen: (handle: string) => void,
  clock: Clock,
  limits: ListLimits = listLimits,
): Promise<string | undefined> {
  const deadline = clock.now() + limits.time;
  let token = '';
  /**
   * An earlier token, to detect a driver whose pages form a cycle. It is replaced at each power of two
   * (Brent).
   */
  let earlier = '';
  let entries = 0;
  let restarts = 0;
  for (let pages = 1; ; pages++) {
    let found: VolumePage;
    try {
      found = await page(limits.pageSize, token);
    } catch (error) {
      if (!(error instanceof CsiError && error.code === 'ABORTED' && token !== '')) {
        throw error;
      }
      restarts += 1;
      if (restarts > limits.restarts) {
        return `its tokens were no longer good ${String(restarts)} times`;
      }
      token = '';
      earlier = '';
      continue;
    }
    entries += found.handles.length;
    if (entries > limits.entries) {
      return `it listed more than ${String(limits.entries)} volumes`;
    }
    found.handles.forEach(seen);
    token = found.nextToken;
    if (token === '') {
      return undefined;
    }
    if (token === earlier) {
      return 'it gave a token for the second time';
    }
    if (Number.isInteger(Math.log2(pages))) {
      earlier = token;
    }
    if (pages >= limits.pages) {
      return `it listed more than ${String(limits.pages)} pages`;
    }
    if (clock.now() > deadline) {
      return `it listed for more than ${String(limits.time / 1000)} s`;
    }
  }
}
