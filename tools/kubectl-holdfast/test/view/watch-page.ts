import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Group, Item, Message } from '../../src/view/model/picture.ts';

export function itemOf({ items }: Group, id: string): Item | undefined {
  return items.find((each) => each.id === id);
}

/** What a viewer of the page knows. */
export interface WatchedPage {
  readonly ended: Promise<undefined>;
  troubles(): readonly string[];
  /** Resolves when one of the groups is so. */
  until(isSo: (group: Group) => boolean): Promise<void>;
  /** Resolves when there is no group any more. */
  untilEmpty(): Promise<void>;
}

/** Follows the page's events as the page does. */
export async function watchPage(address: string): Promise<WatchedPage> {
  const [response] = (await once(get(new URL('events', address)), 'response')) as [IncomingMessage];
  const groups = new Map<string, Group>();
  const waiting = new Set<() => void>();
  let troubles: readonly string[] = [];
  const ended = Promise.withResolvers<undefined>();
  response.on('error', () => ended.resolve(undefined));
  const lines = createInterface({ input: response });
  // The tool ends while it is read from.
  lines.on('error', () => ended.resolve(undefined));
  lines.on('line', (line) => {
    if (line.startsWith('data: ')) {
      const message = JSON.parse(line.slice('data: '.length)) as Message;
      message.groups.forEach((group) => groups.set(group.id, group));
      message.gone.forEach((id) => groups.delete(id));
      ({ troubles } = message);
      waiting.forEach((look) => look());
    }
  });
  const untilAll = (isSo: (all: readonly Group[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (isSo([...groups.values()])) {
          waiting.delete(look);
          resolve();
        }
      };
      waiting.add(look);
      look();
    });
  return {
    ended: ended.promise,
    troubles: () => troubles,
    until: (isSo) => untilAll((all) => all.some(isSo)),
    untilEmpty: () => untilAll((all) => all.length === 0),
  };
}
