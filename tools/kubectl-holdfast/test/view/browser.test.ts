import { expect, test } from '@jest/globals';
import type { Group } from '../../src/view/model/picture.ts';
import { describeInABrowser } from './page-in-a-browser.ts';

/* What the page is for. browser.thorough.test.ts goes on from here. */

const volumeFinalizers =
  'finalizers kubernetes.io/pv-protection, external-provisioner.volume.kubernetes.io/finalizer';

describeInABrowser('page in a browser', (seen) => {
  test('a set -> its pods, claims, volumes and class, each with its state in words', async () => {
    await seen.box('claim data-web-0').waitFor();
    expect(await seen.page.getByRole('heading', { level: 2 }).first().innerText()).toBe('shop/web');
    const names = await seen.page
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
    expect(await seen.page.locator('#status').innerText()).toBe('Live: changes are shown as they come.');
    expect(await seen.page.locator('#drawing path.holds').count()).toBe(5);
  });

  test('a box is pressed -> explained, with what the drawing says of it and the sources', async () => {
    await seen.box('claim data-web-0').click();
    const explanation = seen.page.getByRole('region', { name: 'Explanation' });
    await explanation.getByText('Bound to pv-0, being deleted.').waitFor();
    const words = await explanation.innerText();
    expect(words).toContain('pod web-0 holds claim data-web-0: it uses it');
    expect(words).toContain('GA in Kubernetes 1.11');
    expect(words).toContain('takes kubernetes.io/pvc-protection off once pod web-0 is gone');
    expect(await seen.box('claim data-web-0').getAttribute('aria-pressed')).toBe('true');
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
    await seen.served.show([group], [markup]);
    await seen.page.locator('.box.pod').filter({ hasText: '<img' }).click();
    await seen.page.locator('#explanation li').filter({ hasText: '<script>' }).first().waitFor();
    expect(await seen.page.locator('img').count()).toBe(0);
    expect(await seen.page.locator('script').count()).toBe(1);
  });

  test('window of 320 px, as with a zoom of 400% -> only the drawing is scrolled sideways', async () => {
    await seen.page.setViewportSize({ width: 320, height: 700 });
    await seen.box('claim data-web-0').click();
    await seen.page.locator('#explanation').getByText('Bound to pv-0').waitFor();
    expect(await seen.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  test('the tool ends -> said, what was seen stays', async () => {
    await seen.box('claim data-web-0').waitFor();
    await seen.served.close();
    await seen.page.locator('#status').filter({ hasText: 'Not connected since' }).waitFor();
    expect(await seen.box('claim data-web-0').count()).toBe(1);
    seen.problems.length = 0;
  });
});
