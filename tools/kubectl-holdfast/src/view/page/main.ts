import { chosenGroups, partOf, type Choice } from '../model/choose.ts';
import { layOut } from '../model/layout.ts';
import type { Group, Item, Message } from '../model/picture.ts';
import { counted, summary } from '../model/words.ts';
import { createDrawing } from './drawing.ts';
import { element, part, say } from './element.ts';
import { explain } from './explanation.ts';

/** The maximum number of sets to list at a time. */
const mostListed = 200;

const groups = new Map<string, Group>();
let choice: Choice = { text: '', goingOnly: false };
/** The group that is drawn. The address contains it, so that a bookmark shows the same group. */
let current = idOf(location.hash.slice(1));
let page = 0;
/** How far the server's clock is ahead of the browser's, in milliseconds. */
let ahead = 0;
let isComplete = false;
let asked: Asked | undefined;

interface Asked {
  /** The item to explain, as it is drawn now. */
  item: Item;
  text: string;
  readonly ending: AbortController;
  /** Whether the item has changed since its explanation was requested. */
  isOutdated: boolean;
  isAnswered: boolean;
}

const now = (): number => Date.now() + ahead;
const drawing = createDrawing(part('drawing'), (item) => ask(item));

/** Returns nothing for a fragment that no browser would have written. */
function idOf(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return '';
  }
}

const isSame = (a: Item, b: Item | undefined): boolean => a.id === b?.id && a.namespace === b.namespace;

/**
 * Makes one request at a time. If the item changes during a request, one more follows, however often it has
 * changed.
 */
function ask(item: Item): void {
  const text = JSON.stringify(item);
  if (asked !== undefined && !asked.isAnswered && isSame(item, asked.item)) {
    asked.isOutdated ||= asked.text !== text;
    Object.assign(asked, { item, text });
    return;
  }
  asked?.ending.abort();
  const isAnother = !isSame(item, asked?.item);
  const mine: Asked = { item, text, ending: new AbortController(), isOutdated: false, isAnswered: false };
  asked = mine;
  drawing.choose(item.id);
  const links = groups.get(current)?.links ?? [];
  void explain(part('explanation'), { item, links, isAnother }, now(), mine.ending.signal).then(() => {
    mine.isAnswered = true;
    if (asked === mine && mine.isOutdated) {
      ask(mine.item);
    }
  });
}

function show(): void {
  const chosen = chosenGroups(groups.values(), choice);
  if (!chosen.some(({ id }) => id === current)) {
    current = chosen[0]?.id ?? '';
    page = 0;
  }
  list(chosen);
  draw(groups.get(current));
}

function list(chosen: readonly Group[]): void {
  const listed = chosen.slice(0, mostListed);
  const all = chosen.length === groups.size ? '' : ` of ${counted(groups.size, 'group')}`;
  const rest =
    listed.length < chosen.length
      ? `; the first ${counted(listed.length, 'is', 'are')} listed, filter to see others`
      : '';
  say(
    part('found'),
    isComplete || groups.size > 0 ? `${counted(chosen.length, 'group')}${all}${rest}` : 'Reading.',
  );
  const target = part('groups');
  const before = new Map(
    [...target.querySelectorAll('button')].map((button) => [button.dataset['group'] ?? '', button]),
  );
  const buttons = listed.map((group) => {
    const button = before.get(group.id) ?? makeButton(group);
    say(button.querySelector('small') ?? button, summary(group));
    button.setAttribute('aria-current', String(group.id === current));
    return button;
  });
  // Elements that stay where they are keep the focus.
  const items = [...target.children];
  if (
    items.length !== buttons.length ||
    items.some((item, index) => item.firstElementChild !== buttons[index])
  ) {
    const focused = document.activeElement;
    target.replaceChildren(...buttons.map((button) => element('li', {}, button)));
    if (focused instanceof HTMLElement && target.contains(focused)) {
      focused.focus();
    }
  }
}

function makeButton({ id, title }: Group): HTMLButtonElement {
  const button = element('button', { text: title }, element('small'));
  button.type = 'button';
  button.dataset['group'] = id;
  button.addEventListener('click', () => {
    current = id;
    page = 0;
    history.replaceState(undefined, '', `#${encodeURIComponent(id)}`);
    show();
  });
  return button;
}

function draw(group: Group | undefined): void {
  say(part('title'), group?.title ?? (isComplete ? 'Nothing to show' : 'Reading'));
  const { items, links, first, count, of, leftOut } = partOf(
    group ?? { id: '', title: '', items: [], links: [] },
    choice,
    page,
  );
  const rows =
    count < of
      ? `Rows ${String(first + 1)} to ${String(first + count)} of ${counted(of, 'row')}`
      : group === undefined
        ? ''
        : summary(group);
  const rest =
    leftOut > 0
      ? `; ${counted(leftOut, 'box', 'boxes')} beside them left out, filter by a name to see one`
      : '';
  say(part('part'), `${rows}${rest}`);
  part('pages').hidden = count === of;
  part('before', HTMLButtonElement).disabled = first === 0;
  part('after', HTMLButtonElement).disabled = first + count >= of;
  drawing.draw(items, layOut(items, links), now());
  part('words').replaceChildren(...links.map(({ words }) => element('li', { text: words })));
  // The explained item has changed, so its explanation might have, too.
  const again = items.find((item) => isSame(item, asked?.item));
  if (again !== undefined && JSON.stringify(again) !== asked?.text) {
    ask(again);
  }
}

function turn(by: number): void {
  page = Math.max(0, page + by);
  show();
}

part('before').addEventListener('click', () => turn(-1));
part('after').addEventListener('click', () => turn(1));
part('filter', HTMLInputElement).addEventListener('input', () => choose());
part('going').addEventListener('change', () => choose());

function choose(): void {
  choice = {
    text: part('filter', HTMLInputElement).value,
    goingOnly: part('going', HTMLInputElement).checked,
  };
  page = 0;
  show();
}

function follow(): EventSource {
  const events = new EventSource('events');
  // The server sends everything to a new connection, also after a break.
  let isFirst = true;
  let since: string | undefined;
  events.addEventListener('open', () => {
    isFirst = true;
    since = undefined;
  });
  events.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as Message;
    if (isFirst) {
      groups.clear();
      isFirst = false;
    }
    message.gone.forEach((id) => groups.delete(id));
    message.groups.forEach((group) => groups.set(group.id, group));
    ahead = message.now - Date.now();
    ({ isComplete } = message);
    say(part('scope'), `in ${message.scope}`);
    say(part('status'), isComplete ? 'Live: changes are shown as they come.' : 'Reading.');
    part('troubles').replaceChildren(...message.troubles.map((text) => element('li', { text: `${text}.` })));
    show();
  });
  events.addEventListener('error', () => {
    since ??= new Date().toLocaleTimeString();
    say(
      part('status'),
      events.readyState === EventSource.CLOSED
        ? 'Not live: this page is open in too many windows, or kubectl holdfast view was restarted.'
        : `Not connected since ${since}: shown as it was then. Is kubectl holdfast view still running?`,
    );
  });
  return events;
}

let events: EventSource | undefined;

/** A browser has six connections to a server for all pages together, so hidden pages release theirs. */
function followWhileSeen(): void {
  if (document.hidden) {
    events?.close();
    events = undefined;
    say(part('status'), 'Not live while this page is hidden.');
  } else {
    events ??= follow();
  }
}

document.addEventListener('visibilitychange', followWhileSeen);
followWhileSeen();
setInterval(() => drawing.tick(now()), 1_000);
