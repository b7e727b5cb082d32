import type { Clock } from '@holdfast/runtime';
import type { VolumePage } from '../csi/csi-connection.ts';
import { CsiError } from '../csi/csi-error.ts';

/** What a list may cost. A driver that goes beyond it is not believed to have told the whole. */
export interface ListLimits {
  /** Entries asked for at once. */
  readonly pageSize: number;
  /** Entries of all pages. */
  readonly entries: number;
  readonly pages: number;
  /** Of the whole list, milliseconds; it is looked at between two pages. */
  readonly time: number;
  /** How often it begins anew, because a token was no longer good. */
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
 * Lists a driver's storage volumes, page by page, none of which is kept.
 *
 * @param page asks for one page; the token is empty for the first.
 * @param seen gets each handle, some of them again when the list begins anew.
 * @returns why the list is not whole; undefined: it is.
 * @throws what `page` throws, but for a token that is no longer good (ABORTED).
 */
export async function listStorage(
  page: (maxEntries: number, startingToken: string) => Promise<VolumePage>,
  seen: (handle: string) => void,
  clock: Clock,
  limits: ListLimits = listLimits,
): Promise<string | undefined> {
  const deadline = clock.now() + limits.time;
  let token = '';
  /** A token from before, to find a driver that goes round in circles: at each power of two a later one (Brent). */
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
