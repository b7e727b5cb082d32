import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Group, Item } from '../../src/view/model/picture.ts';
import { claimOf } from '../objects.ts';
import { findChromium, howToGetIt, launch } from './chromium.ts';
import { explanationOf, servePage, type PageUnderTest } from './page-under-test.ts';
import { manyClaims, story } from './seen.ts';

/*
 * The page as somebody sees it. Without a browser these tests are skipped, which is said in capitals and counted.
 */

const path = findChromium();
if (path === undefined) {
  process.stderr.write(`\nTHE PAGE OF kubectl holdfast view WAS SEEN BY NO BROWSER: ${howToGetIt}\n\n`);
}
const suite = path === undefined ? describe.skip : describe;

const volumeFinalizers =
  'finalizers kubernetes.io/pv-protection, external-provisioner.volume.kubernetes.io/finalizer';

/** Of the story: half an hour after what the server says is now. */
const due = '2026-03-01T12:30:00Z';

suite('page in a browser', () => {
  let browser: Browser;
  let served: PageUnderTest;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    browser = await launch(path ?? '');
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    served = await servePage(story(due), (query) =>
      query.get('name') === 'data-web-0'
        ? explanationOf('Bound to pv-0, being deleted')
        : { status: 404, body: { error: `there is no ${query.get('name') ?? ''}` } },
    );
    page = await browser.newPage();
    problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) {
        problems.push(message.text());
      }
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(served.address)) {
        problems.push(`asked elsewhere: ${request.url()}`);
      }
    });
    await page.goto(served.address);
  });
  afterEach(async () => {
    await page.close();
    await served.close();
    expect(problems).toStrictEqual([]);
  });

  const box = (name: string) => page.locator('#drawing').getByRole('button', { name });

  test('a set -> its pods, claims, volumes and class, each with its state in words', async () => {
    await box('claim data-web-0').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).first().innerText()).toBe('shop/web');
    const names = await page
      .locator('#drawing button')
      .evaluateAll((all) =>
        (all as unknown as readonly { getAttribute(name: string): string }[]).map((each) =>
          each.getAttribute('aria-label'),
        ),
      );
    expect(names.map((name) => name.replace(/goes in [^,]*/, 'goes in a while'))).toEqual([
      'StatefulSet web, 2 wanted; scaled Delete, deleted Retain',
      'pod web-0, Running on node-1',
      'pod web-1, Running on node-1',
      'claim data-web-0, Bound, being deleted, held by kubernetes.io/pvc-protection',
      'claim data-web-1, Bound, finalizer kubernetes.io/pvc-protection',
      'claim data-web-2, Bound, goes in a while, finalizer kubernetes.io/pvc-protection',
      `volume pv-0, Bound, policy Delete, ${volumeFinalizers}`,
      `volume pv-1, Bound, policy Delete, ${volumeFinalizers}`,
      `volume pv-2, Bound, policy Delete, ${volumeFinalizers}`,
      'volume pv-left, Released, policy Retain',
      'class fast, disks.example.com, the default',
    ]);
    expect(await page.locator('#status').innerText()).toBe('Live: changes are shown as they come.');
    expect(await page.locator('#drawing path.holds').count()).toBe(5);
  });

  test('a box is pressed -> explained, with what the drawing says of it and the sources', async () => {
    await box('claim data-web-0').click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Bound to pv-0, being deleted.').waitFor();
    const words = await explanation.innerText();
    expect(words).toContain('pod web-0 holds claim data-web-0: it uses it');
    expect(words).toContain('GA in Kubernetes 1.11');
    expect(words).toContain('takes kubernetes.io/pvc-protection off once pod web-0 is gone');
    expect(await box('claim data-web-0').getAttribute('aria-pressed')).toBe('true');
  });

  test('claim in an undo window -> how long it has, running, and the command that keeps it', async () => {
    await page.clock.install();
    await page.reload();
    const left = box('claim data-web-2').locator('.going');
    await left.filter({ hasText: /^goes in (30 min 0 s|29 min \d+ s)$/ }).waitFor();
    await page.clock.fastForward('10:00');
    await left.filter({ hasText: /^goes in (20 min 0 s|1\d min \d+ s)$/ }).waitFor();
    await box('claim data-web-2').click();
    await page.getByText('kubectl annotate pvc data-web-2 -n shop holdfast.dev/delete-after-').waitFor();
  });

  test('object that is gone meanwhile -> said', async () => {
    await box('claim data-web-1').click();
    await page.getByText('there is no data-web-1').waitFor();
  });

  test('the keyboard alone -> from box to box, and explained', async () => {
    await box('StatefulSet web').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await page.getByText('Bound to pv-0, being deleted.').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').getAttribute('aria-label')).toMatch(/^claim data-web-1, /);
  });

  test('something changes -> drawn at once, the focus stays', async () => {
    await box('pod web-1').focus();
    const before = story(due);
    await served.show({ ...before, claims: before.claims.slice(1), pods: before.pods.slice(1) });
    await box('claim data-web-0').waitFor({ state: 'detached' });
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('pod web-1, Running on node-1');
    await served.show({ ...before, claims: [...before.claims, claimOf(4, { phase: 'Pending' })] });
    await box('claim data-web-4').waitFor();
  });

  test('a set goes, another comes -> listed so, and what is left is drawn', async () => {
    await box('claim data-web-0').waitFor();
    const other = claimOf(0, { phase: 'Pending' });
    const named = { ...other, metadata: { ...other.metadata, name: 'scratch', uid: 'uid-of-scratch' } };
    await served.show({ ...story(due), sets: [], claims: [named], pods: [], volumes: [] });
    await box('claim scratch').waitFor();
    expect(await page.locator('#groups button').allInnerTexts()).toEqual(['shop: of no set\n1 claim']);
    expect(await page.locator('.box').count()).toBe(1);
  });

  test('what is explained changes -> explained anew', async () => {
    await box('claim data-web-1').click();
    await page.getByText('there is no data-web-1').waitFor();
    const before = story(due);
    const asked = page.waitForRequest((request) => request.url().includes('name=data-web-1'));
    const claims = before.claims.map((each) =>
      each.metadata.name === 'data-web-1' ? { ...each, status: { phase: 'Lost' } } : each,
    );
    await served.show({ ...before, claims });
    await asked;
  });

  test('names and words that are markup -> shown as they are, and never read', async () => {
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const group: Group = {
      ...{ id: 'shop/odd', title: markup },
      items: [
        {
          ...{
            id: 'pod odd',
            kind: 'pod',
            name: markup,
            state: markup,
            finalizers: [markup],
            notes: [markup],
          },
          ...{ deletedAt: markup, heldBy: markup, mark: { due: undefined, because: markup, keep: markup } },
        },
        { id: 'claim odd', kind: 'claim', name: 'a', state: 'Bound', finalizers: [], notes: [] },
      ],
      links: [{ from: 'pod odd', to: 'claim odd', kind: 'holds', words: markup }],
    };
    await served.show([group], [markup]);
    await page.locator('.box.pod').filter({ hasText: '<img' }).click();
    await page.locator('#explanation li').filter({ hasText: '<script>' }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
  });

  test('something can not be read -> said beside what is shown', async () => {
    await box('claim data-web-0').waitFor();
    await served.show(story(due), ['persistentvolumes can not be read']);
    await page.getByText('persistentvolumes can not be read.').waitFor();
  });

  test('1,000 claims -> 50 rows, in words; pages, and a filter that finds one of them', async () => {
    await served.show(manyClaims(1_000));
    await page.getByText('Rows 1 to 50 of 1,000 rows').waitFor();
    expect(await page.locator('.box').count()).toBe(151);
    await page.getByRole('button', { name: 'Rows after' }).click();
    await page.getByText('Rows 51 to 100 of 1,000 rows').waitFor();
    await page.getByLabel('Filter by a part of a name').fill('data-web-777');
    await box('claim data-web-777').waitFor();
    expect(await page.locator('.box.claim').count()).toBe(1);
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
    await served.show([
      {
        ...{ id: 'shop/', title: 'shop: of no set' },
        items: [claim, ...shared.map((name): Item => ({ ...claim, id: `pod ${name}`, kind: 'pod', name }))],
        links: shared.map((name) => ({
          ...{ from: `pod ${name}`, to: 'claim a', kind: 'holds', words: `${name} holds a` },
        })),
      },
    ]);
    await page.getByText('; 4,980 boxes beside them left out').waitFor();
    await box('claim a').click();
    await page.getByText('4,800 lines more').waitFor();
    expect(await page.locator('.box').count()).toBe(21);
  });

  test('the API server takes its time -> what is asked about is said at once, and changes meanwhile are one question', async () => {
    const answers: (() => void)[] = [];
    served.answerWhen((answer) => answers.push(answer));
    await box('claim data-web-0').click();
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Asking.').waitFor();
    expect(await explanation.getByRole('heading').first().innerText()).toBe('claim data-web-0');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const before = story(due);
    for (const phase of ['Lost', 'Pending', 'Lost']) {
      const claims = before.claims.map((each, index) =>
        index === 0 ? { ...each, status: { phase } } : each,
      );
      await served.show({ ...before, claims });
      await box(`claim data-web-0, ${phase}`).waitFor();
    }
    expect(asked).toStrictEqual([]);
    const again = page.waitForRequest((request) => request.url().includes('name=data-web-0'));
    answers.shift()?.();
    await again;
    served.answerWhen((answer) => answer());
    answers.forEach((answer) => answer());
    await explanation.getByText('Bound to pv-0, being deleted.').waitFor();
    expect(asked).toHaveLength(1);
  });

  test('another box is pressed while one is asked about -> that one alone is explained', async () => {
    const answers: (() => void)[] = [];
    served.answerWhen((answer) => answers.push(answer));
    await box('claim data-web-0').click();
    await page.getByText('Asking.').waitFor();
    const second = page.waitForRequest((request) => request.url().includes('name=data-web-1'));
    await box('claim data-web-1').click();
    await second;
    served.answerWhen((answer) => answer());
    answers.forEach((answer) => answer());
    await page.getByText('there is no data-web-1').waitFor();
  });

  test('nobody sees the page -> its connection is left to others; seen again -> followed anew', async () => {
    await box('claim data-web-0').waitFor();
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await page.evaluate(hide, true);
    await ended;
    await served.show({ ...story(due), claims: [claimOf(4, { phase: 'Pending' })] });
    expect(await page.locator('#status').innerText()).toBe('Not followed while nobody sees it.');
    await page.evaluate(hide, false);
    await box('claim data-web-4').waitFor();
  });

  test('only what is going -> the others are left out', async () => {
    await box('claim data-web-1').waitFor();
    await page.getByLabel(/Only what is going/).check();
    await box('claim data-web-1').waitFor({ state: 'detached' });
    expect(await page.locator('.box.claim').count()).toBe(2);
  });

  test('for who sees no drawing -> the same as a list of sentences', async () => {
    await page.getByText('The same in words').click();
    const items = page.locator('details').getByRole('listitem');
    await items.filter({ hasText: 'pod web-0 holds claim data-web-0: it uses it' }).waitFor();
    expect(await items.count()).toBe(await page.locator('#drawing > svg > path').count());
  });

  test.each(['light', 'dark'] as const)(
    '%s -> words stand out from what is behind them',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await box('claim data-web-0').waitFor();
      const [text, back] = await page.locator('body').evaluate((body) => {
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

  test('the tool ends -> said, what was seen stays', async () => {
    await box('claim data-web-0').waitFor();
    await served.close();
    await page.locator('#status').filter({ hasText: 'Not connected since' }).waitFor();
    expect(await box('claim data-web-0').count()).toBe(1);
    problems.length = 0;
  });
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
