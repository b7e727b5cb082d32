import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { dashboards } from '../src/dashboards.ts';
import { toGrafana } from '../src/grafana.ts';
import { renderDashboards } from '../src/rendered-dashboards.ts';

const monitoring = join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring');

/** A panel or a row of the JSON, as far as the tests look at it. */
interface RenderedPanel {
  readonly type: string;
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly {
    readonly expr: string;
    readonly refId: string;
    readonly datasource: { readonly uid: string };
  }[];
}

const panelsOf = (plan: (typeof dashboards)[number]): readonly RenderedPanel[] =>
  toGrafana(plan).panels as readonly RenderedPanel[];

describe('dashboards of deploy/monitoring', () => {
  test('a dashboard changed -> its files have it, renewed by npm run dashboards', () => {
    const rendered = renderDashboards();
    expect(rendered).toHaveLength(2 * dashboards.length);
    for (const { path, text } of rendered) {
      expect({ path, text: readFileSync(join(monitoring, path), 'utf8') }).toEqual({ path, text });
    }
  });

  describe.each(dashboards)('$app', (plan) => {
    const panels = panelsOf(plan);

    test('the questions of an operator -> answered in their order', () => {
      const [first, second, third, ...rest] = panels.filter(({ type }) => type === 'row');
      expect([first, second, third, rest.at(-1)].map((row) => row?.title)).toEqual([
        'Is it working?',
        'Is anything waiting?',
        'What has it done?',
        'What does it cost?',
      ]);
    });

    test('each panel -> has a title of its own, a description and a data source that can be chosen', () => {
      const shown = panels.filter(({ type }) => type !== 'row');
      expect(shown.length).toBeGreaterThan(15);
      expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      for (const { title, description, datasource, targets } of shown) {
        expect({ title, description }).toEqual({ title, description: expect.stringMatching(/^.{15,}\.$/) });
        expect([datasource, ...(targets ?? []).map((target) => target.datasource)]).toEqual(
          Array.from({ length: 1 + (targets?.length ?? 0) }, () => ({
            type: 'prometheus',
            uid: '${datasource}',
          })),
        );
        expect(targets?.map(({ refId }) => refId)).toEqual(['A', 'B', 'C'].slice(0, targets?.length));
      }
    });

    test('each metric -> of the chosen processes alone', () => {
      const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      for (const expr of expressions) {
        const selectors = [...expr.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+(\{[^}]*\})?(?![a-z_]|\s*\()/g)].filter(
          ([text]) => !/^(?:when_|plugin_name$|exported_namespace$)/.test(text),
        );
        expect({ expr, selectors: selectors.length }).not.toEqual({ expr, selectors: 0 });
        for (const [, matchers] of selectors) {
          expect({ expr, matchers }).toEqual({
            expr,
            matchers: expect.stringContaining('{job=~"$job",instance=~"$instance"'),
          });
        }
      }
    });

    test('panels -> fill the grid without lying on each other', () => {
      const taken = new Set<string>();
      for (const { title, gridPos } of panels) {
        expect({ title, fits: gridPos.x + gridPos.w <= 24 }).toEqual({ title, fits: true });
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
            expect({ title, isFree: !taken.has(`${String(x)} ${String(y)}`) }).toEqual({
              title,
              isFree: true,
            });
            taken.add(`${String(x)} ${String(y)}`);
          }
        }
      }
      const bottom = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
      expect(taken.size).toBe(24 * bottom);
    });
  });
});
