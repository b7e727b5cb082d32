import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { declaredIn, type DeclaredMetric } from './declared-metrics.ts';
import { appNames } from './four-apps.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const textOf = ({ name, labels }: DeclaredMetric): string =>
  labels.length === 0 ? name : `${name}{${labels.join(',')}}`;

/** Those of the runtime that every controller exports, whatever it does. */
const ofRuntime = declaredIn('packages/runtime').map(({ name }) => name);

/**
 * The metrics of a README's section about them: all that it names, and those that have a row or an item of their own.
 */
function namedIn(readme: string): { readonly all: readonly string[]; readonly own: readonly string[] } {
  const section = /^## (?:Events and metrics|Metrics)\n([^]*?)(?=^## |$(?![^]))/m.exec(readme)?.[1] ?? '';
  const metrics = section.matchAll(/(^[|-] )?`([a-z]+(?:_[a-z*]+)+(?:\{[a-z_,]+\})?)`/gm);
  const found = [...metrics].map(([, mark, name = '']) => ({ name, isOwn: mark !== undefined }));
  return {
    all: found.map(({ name }) => name),
    own: found.filter(({ isOwn }) => isOwn).map(({ name }) => name),
  };
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern.replace(/\{.*/, '') === name;

describe('metrics in READMEs', () => {
  test.each(appNames)('%s -> each that it declares, with its labels, and no other', (name) => {
    const declared = declaredIn(`apps/${name}`).map(textOf);
    expect(declared.length).toBeGreaterThanOrEqual(3);
    const named = namedIn(readFileSync(join(root, 'apps', name, 'README.md'), 'utf8'));
    const own = named.own.filter((metric) => !ofRuntime.some((each) => matches(metric, each)));
    expect(own.toSorted()).toEqual(declared.toSorted());
  });

  test.each(['packages/runtime', ...appNames.map((name) => `apps/${name}`)])(
    '%s -> each of the runtime, by its name or the beginning of it',
    (folder) => {
      const named = namedIn(readFileSync(join(root, folder, 'README.md'), 'utf8'));
      expect(ofRuntime.length).toBeGreaterThanOrEqual(30);
      expect(
        ofRuntime.filter((metric) => !named.all.some((pattern) => matches(pattern, metric))),
      ).toStrictEqual([]);
    },
  );
});
