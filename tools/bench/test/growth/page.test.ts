import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { GrowthReport } from '../../src/growth/growth-figures.ts';
import { growthPage } from '../../src/growth/page.ts';
import { failed } from '../result.ts';
import { growthReport } from './report.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, docs), 'utf8');

describe('growthPage', () => {
  test('report -> the page with date, machine and largest exponents, and an image for each app', () => {
    const files = growthPage([growthReport()]);
    expect([...files.keys()]).toEqual(['benchmarks.md', 'benchmarks/pvc-protection.svg']);
    const page = files.get('benchmarks.md') ?? '';
    expect(page).toContain('2026-11-22');
    expect(page).toContain('2 cores, Abacus <2>, 16384.0 MiB');
    expect(page).toContain(
      'wall time 2.00 (pvc-protection), CPU 1.00 (pvc-protection), peak memory 0.00 (pvc-protection)',
    );
    expect(page).toContain('](benchmarks/pvc-protection.svg)');
    expect(page).not.toContain('not finished');
  });

  test.each([
    { load: 1.5, isBusy: false },
    { load: 12.3, isBusy: true },
  ])('load of $load on two cores -> the page says that it was busy: $isBusy', ({ load, isBusy }) => {
    const report = growthReport();
    const page = growthPage([{ ...report, machine: { ...report.machine, load } }]).get('benchmarks.md') ?? '';
    expect(page.includes('was busy with other things')).toBe(isBusy);
  });

  test('round that failed -> the page names it', () => {
    const report = growthReport();
    const results = [
      ...report.results,
      { app: 'pvc-protection', objects: 50_000, result: failed(1, 'upstream', 'it ended') },
    ];
    expect(growthPage([{ ...report, results }]).get('benchmarks.md')).toContain(
      'Rounds that were not finished: pvc-protection, 50,000, upstream.',
    );
  });

  test('two reports of one app, the older one given last -> the newer counts, and no column is there for the other', () => {
    const newer = growthReport({ date: '2026-11-23T08:00:00.000Z' });
    const older = growthReport({ results: [] });
    const [alone, both] = [[newer], [newer, older]].map(growthPage);
    expect(both).toEqual(alone);
    expect(both?.get('benchmarks.md')).toContain('wall time 2.00 (pvc-protection)');
  });

  test('two reports of an app each -> the facts of both, and whose they are', () => {
    const [course] = growthReport().courses;
    const other = growthReport({
      date: '2026-11-23T08:00:00.000Z',
      courses: course === undefined ? [] : [{ ...course, app: 'pv-reclaim-honor' }],
      results: growthReport().results.map((each) => ({ ...each, app: 'pv-reclaim-honor' })),
      machine: { ...growthReport().machine, load: 12 },
    });
    const page = growthPage([growthReport(), other]).get('benchmarks.md') ?? '';
    expect(page).toMatch(/^\| +\| pvc-protection +\| pv-reclaim-honor +\|$/m);
    expect(page).toMatch(/^\| date +\| 2026-11-22 +\| 2026-11-23 +\|$/m);
    expect(page).toContain('was busy with other things as pv-reclaim-honor ran');
  });

  test('docs/benchmarks.md and its images -> are what is made of docs/benchmarks/growth*.json', () => {
    const reports = readdirSync(new URL('benchmarks/', docs))
      .filter((name) => /^growth.*\.json$/.test(name))
      .map((name) => JSON.parse(read(`benchmarks/${name}`)) as GrowthReport);
    expect(reports.length).toBeGreaterThan(0);
    for (const [path, text] of growthPage(reports)) {
      expect([path, read(path)]).toEqual([path, text]);
    }
  });
});
