import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { findChromium, howToGetIt, launch } from './chromium.ts';
import { explanationOf, servePage, type PageUnderTest } from './page-under-test.ts';
import { story } from './seen.ts';

/** Of the story: half an hour after what the server says is now. */
export const due = '2026-03-01T12:30:00Z';

/** The page as somebody sees it, opened anew for each test. */
export interface PageInABrowser {
  readonly page: Page;
  readonly served: PageUnderTest;
  /** What the browser complained of, which fails the test at its end. */
  readonly problems: string[];
  /** A box of the drawing, by its words or the beginning of them. */
  box(name: string): Locator;
}

/** Declares tests of the page. Without a browser they are skipped, which is said in capitals and counted. */
export function describeInABrowser(title: string, declare: (seen: PageInABrowser) => void): void {
  const path = findChromium();
  if (path === undefined) {
    process.stderr.write(`\nTHE PAGE OF kubectl holdfast view WAS SEEN BY NO BROWSER: ${howToGetIt}\n\n`);
  }
  (path === undefined ? describe.skip : describe)(title, () => {
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

    declare({
      get page() {
        return page;
      },
      get served() {
        return served;
      },
      get problems() {
        return problems;
      },
      box: (name) => page.locator('#drawing').getByRole('button', { name }),
    });
  });
}
