import { expect, test } from '@jest/globals';
import type { Item } from '../../src/view/model/picture.ts';
import { claimOf } from '../objects.ts';
import { describeInABrowser, due } from './page-in-a-browser.ts';
import { manyClaims, story } from './seen.ts';

describeInABrowser('page in a browser', (seen) => {
  test('claim in an undo window -> how long it has, running, and the command that keeps it', async () => {
    await seen.page.clock.install();
    await seen.page.reload();
    const left = seen.box('claim data-web-2').locator('.going');
    await left.filter({ hasText: /^goes in (30 min 0 s|29 min \d+ s)$/ }).waitFor();
    await seen.page.clock.fastForward('10:00');
    await left.filter({ hasText: /^goes in (20 min 0 s|1\d min \d+ s)$/ }).waitFor();
    await seen.box('claim data-web-2').click();
    await seen.page.getByText('kubectl annotate pvc data-web-2 -n shop holdfast.dev/delete-after-').waitFor();
  });

  test('object that is gone meanwhile -> said', async () => {
    await seen.box('claim data-web-1').click();
    await seen.page.getByText('there is no data-web-1').waitFor();
  });

  test('the keyboard alone -> from box to box, and explained', async () => {
    await seen.box('StatefulSet web').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) {
      await seen.page.keyboard.press(key);
    }
    await seen.page.getByText('Bound to pv-0, being deleted.').waitFor();
    await seen.page.keyboard.press('ArrowDown');
    expect(await seen.page.locator(':focus').getAttribute('aria-label')).toMatch(/^claim data-web-1, /);
  });

  test('something changes -> drawn at once, the focus stays', async () => {
    await seen.box('pod web-1').focus();
    const before = story(due);
    await seen.served.show({ ...before, claims: before.claims.slice(1), pods: before.pods.slice(1) });
    await seen.box('claim data-web-0').waitFor({ state: 'detached' });
    expect(await seen.page.locator(':focus').getAttribute('aria-label')).toBe('pod web-1, Running on node-1');
    await seen.served.show({ ...before, claims: [...before.claims, claimOf(4, { phase: 'Pending' })] });
    await seen.box('claim data-web-4').waitFor();
  });

  test('a set goes, another comes -> listed so, and what is left is drawn', async () => {
    await seen.box('claim data-web-0').waitFor();
    const other = claimOf(0, { phase: 'Pending' });
    const named = { ...other, metadata: { ...other.metadata, name: 'scratch', uid: 'uid-of-scratch' } };
    await seen.served.show({ ...story(due), sets: [], claims: [named], pods: [], volumes: [] });
    await seen.box('claim scratch').waitFor();
    expect(await seen.page.locator('#groups button').allInnerTexts()).toEqual(['shop: of no set\n1 claim']);
    expect(await seen.page.locator('.box').count()).toBe(1);
  });

  test('what is explained changes -> explained anew', async () => {
    await seen.box('claim data-web-1').click();
    await seen.page.getByText('there is no data-web-1').waitFor();
    const before = story(due);
    const asked = seen.page.waitForRequest((request) => request.url().includes('name=data-web-1'));
    const claims = before.claims.map((each) =>
      each.metadata.name === 'data-web-1' ? { ...each, status: { phase: 'Lost' } } : each,
    );
    await seen.served.show({ ...before, claims });
    await asked;
  });

  test('something can not be read -> said beside what is shown', async () => {
    await seen.box('claim data-web-0').waitFor();
    await seen.served.show(story(due), ['persistentvolumes can not be read']);
    await seen.page.getByText('persistentvolumes can not be read.').waitFor();
  });

  test('1,000 claims -> 50 rows, in words; pages, and a filter that finds one of them', async () => {
    await seen.served.show(manyClaims(1_000));
    await seen.page.getByText('Rows 1 to 50 of 1,000 rows').waitFor();
    expect(await seen.page.locator('.box').count()).toBe(151);
    await seen.page.getByRole('button', { name: 'Rows after' }).click();
    await seen.page.getByText('Rows 51 to 100 of 1,000 rows').waitFor();
    await seen.page.getByLabel('Filter by a part of a name').fill('data-web-777');
    await seen.box('claim data-web-777').waitFor();
    expect(await seen.page.locator('.box.claim').count()).toBe(1);
  });

  test('a claim of 5,000 pods -> some of them, and how many are left out', async () => {
    const claim: Item = {
      id: 'claim a',
      kind: 'claim',
      name: 'a',
      state: 'Bound',
      finalizers: [],
      notes: [],
    };
    const shared = Array.from({ length: 5_000 }, (_, n) => `reader-${String(n)}`);
    await seen.served.show([
      {
        ...{ id: 'shop/', title: 'shop: of no set' },
        items: [claim, ...shared.map((name): Item => ({ ...claim, id: `pod ${name}`, kind: 'pod', name }))],
        links: shared.map((name) => ({
          ...{ from: `pod ${name}`, to: 'claim a', kind: 'holds', words: `${name} holds a` },
        })),
      },
    ]);
    await seen.page.getByText('; 4,980 boxes beside them left out').waitFor();
    await seen.box('claim a').click();
    await seen.page.getByText('4,800 lines more').waitFor();
    expect(await seen.page.locator('.box').count()).toBe(21);
  });

  test('the API server takes its time -> what is asked about is said at once, and changes meanwhile are one question', async () => {
    const answers: (() => void)[] = [];
    seen.served.answerWhen((answer) => answers.push(answer));
    await seen.box('claim data-web-0').click();
    const explanation = seen.page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Asking.').waitFor();
    expect(await explanation.getByRole('heading').first().innerText()).toBe('claim data-web-0');
    const asked: string[] = [];
    seen.page.on('request', (request) => asked.push(request.url()));
    const before = story(due);
    for (const phase of ['Lost', 'Pending', 'Lost']) {
      const claims = before.claims.map((each, index) =>
        index === 0 ? { ...each, status: { phase } } : each,
      );
      await seen.served.show({ ...before, claims });
      await seen.box(`claim data-web-0, ${phase}`).waitFor();
    }
    expect(asked).toStrictEqual([]);
    const again = seen.page.waitForRequest((request) => request.url().includes('name=data-web-0'));
    answers.shift()?.();
    await again;
    seen.served.answerWhen((answer) => answer());
    answers.forEach((answer) => answer());
    await explanation.getByText('Bound to pv-0, being deleted.').waitFor();
    expect(asked).toHaveLength(1);
  });

  test('another box is pressed while one is asked about -> that one alone is explained', async () => {
    const answers: (() => void)[] = [];
    seen.served.answerWhen((answer) => answers.push(answer));
    await seen.box('claim data-web-0').click();
    await seen.page.getByText('Asking.').waitFor();
    const second = seen.page.waitForRequest((request) => request.url().includes('name=data-web-1'));
    await seen.box('claim data-web-1').click();
    await second;
    seen.served.answerWhen((answer) => answer());
    answers.forEach((answer) => answer());
    await seen.page.getByText('there is no data-web-1').waitFor();
  });

  test('nobody sees the page -> its connection is left to others; seen again -> followed anew', async () => {
    await seen.box('claim data-web-0').waitFor();
    const ended = seen.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await seen.page.evaluate(hide, true);
    await ended;
    await seen.served.show({ ...story(due), claims: [claimOf(4, { phase: 'Pending' })] });
    expect(await seen.page.locator('#status').innerText()).toBe('Not live while this page is hidden.');
    await seen.page.evaluate(hide, false);
    await seen.box('claim data-web-4').waitFor();
  });

  test('only what is going -> the others are left out', async () => {
    await seen.box('claim data-web-1').waitFor();
    await seen.page.getByLabel(/Only what is going/).check();
    await seen.box('claim data-web-1').waitFor({ state: 'detached' });
    expect(await seen.page.locator('.box.claim').count()).toBe(2);
  });

  test('for who sees no drawing -> the same as a list of sentences', async () => {
    await seen.page.getByText('The same in words').click();
    const items = seen.page.locator('details').getByRole('listitem');
    await items.filter({ hasText: 'pod web-0 holds claim data-web-0: it uses it' }).waitFor();
    expect(await items.count()).toBe(await seen.page.locator('#drawing > svg > path').count());
  });

  test.each(['light', 'dark'] as const)(
    '%s -> words stand out from what is behind them',
    async (colorScheme) => {
      await seen.page.emulateMedia({ colorScheme });
      await seen.box('claim data-web-0').waitFor();
      const [text, back] = await seen.page.locator('body').evaluate((body) => {
        // Of the browser, which this program has no types of.
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): { readonly color: string; readonly backgroundColor: string };
        };
        const { color, backgroundColor } = getComputedStyle(body);
        return [color, backgroundColor] as const;
      });
      expect(contrast(text, back)).toBeGreaterThan(7);
    },
  );
});

/** As a browser does with a tab behind others. */
function hide(isHidden: boolean): void {
  const { document, Event: Happening } = globalThis as unknown as {
    readonly document: EventTarget;
    readonly Event: new (type: string) => Event;
  };
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
  document.dispatchEvent(new Happening('visibilitychange'));
}

/** Of two colours as browsers write them, WCAG 2's contrast ratio. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [...colour.matchAll(/\d+/g)].map(([part]) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
