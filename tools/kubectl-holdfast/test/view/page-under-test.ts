import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { createFeed } from '../../src/view/feed.ts';
import type { Group } from '../../src/view/model/picture.ts';
import { pageFiles } from '../../src/view/page-files.at-build.ts';
import { pictureOf, type Seen } from '../../src/view/picture-of.ts';
import { serveView, type Explained, type ViewServer } from '../../src/view/serve.ts';
import { now } from '../objects.ts';

/** The server of the page, without a cluster: what it shows is given. */
export interface PageUnderTest {
  readonly address: string;
  /** Shows this from now on; resolves when viewers were sent it. */
  show(seen: Seen | readonly Group[], troubles?: readonly string[]): Promise<void>;
  /** Default: at once. @param hold is given each answer from now on, to be called when it is to be sent. */
  answerWhen(hold: (answer: () => void) => void): void;
  close(): Promise<void>;
}

export async function servePage(
  seen: Seen,
  explain: (query: URLSearchParams) => Explained,
  clock: FakeClock = createFakeClock(),
): Promise<PageUnderTest> {
  let groups = pictureOf(seen);
  let troubles: readonly string[] = [];
  let answerWhen = (answer: () => void): void => answer();
  const feed = createFeed(
    {
      groups: () => groups,
      state: () => ({ now, scope: 'namespace shop', isComplete: true, troubles }),
    },
    clock,
  );
  const server: ViewServer = await serveView({
    ...{ port: 0, token: 'token-of-the-page-under-test', files: pageFiles, feed },
    explain: (query) => new Promise((resolve) => answerWhen(() => resolve(explain(query)))),
  });
  return {
    address: server.address,
    show: async (next, more = []) => {
      groups = 'sets' in next ? pictureOf(next) : next;
      troubles = more;
      feed.changed();
      await clock.advance(500);
    },
    answerWhen: (hold) => {
      answerWhen = hold;
    },
    close: () => server.close(),
  };
}

/** An explanation as the tool gives it. */
export function explanationOf(state: string): Explained {
  return {
    status: 200,
    body: {
      ...{ kind: 'Explanation', state },
      holders: [
        {
          ...{ kind: 'pod', name: 'web-0', holds: true, words: 'Running on node-1: uses it' },
          source: 'Storage object in use protection, kubernetes.io/pvc-protection: GA in Kubernetes 1.11',
        },
      ],
      next: [
        {
          who: 'kube-controller-manager',
          does: 'takes kubernetes.io/pvc-protection off once pod web-0 is gone',
        },
      ],
      ifs: [{ what: 'it is gone', then: 'its data is deleted with pv-0' }],
    },
  };
}
