import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import { deploy, type Manifest } from './kustomize.ts';
import { blocksOf, rowsOf } from './markdown.ts';
import { unusedRights } from './rights/unused-rights.ts';

/* What the pages for administrators say, compared with what there is. docs.real.test.ts runs their commands. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = [
  ...globSync('docs/**/*.md', { cwd: root }),
  ...['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'],
].toSorted();
const linked = [...pages, ...globSync('{apps,packages,tools}/*/README.md', { cwd: root })].toSorted();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The anchors that GitHub gives to the headings of a page. */
function headingsOf(path: string): ReadonlySet<string> {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('papers', () => {
  test.each(linked)('%s -> each link of it leads to a file, and to a heading of it', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const local = links.filter((target) => !target.startsWith('https://'));
    const broken = local.filter((target) => {
      const [file = '', heading] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      return !existsSync(join(root, path)) || (heading !== undefined && !headingsOf(path).has(heading));
    });
    expect(broken).toStrictEqual([]);
  });

  test.each(pages)('%s -> each path below deploy/ is there', (page) => {
    const paths = [...read(page).matchAll(/\bdeploy(?:\/[a-z0-9*<>.-]+)+/g)].map(([path]) =>
      path.replace(/\.$/, ''),
    );
    const concrete = paths.filter((path) => !/[<>*]/.test(path));
    expect(concrete.filter((path) => !existsSync(join(root, path)))).toStrictEqual([]);
  });

  test.each(pages)('%s -> each block of YAML is such', (page) => {
    for (const { text } of blocksOf(join(root, page)).filter(({ language }) => language === 'yaml')) {
      expect(load(text)).toBeInstanceOf(Object);
    }
  });

  test.each(globSync('{packages,apps}/*', { cwd: root }).toSorted())(
    '%s -> is packed with the license and the notice',
    (folder) => {
      for (const file of ['LICENSE', 'NOTICE']) {
        expect(read(`${folder}/${file}`)).toBe(read(file));
      }
      const manifest = JSON.parse(read(`${folder}/package.json`)) as {
        license: string;
        files: readonly string[];
      };
      expect([manifest.license, manifest.files.includes('NOTICE')]).toEqual(['Apache-2.0', true]);
    },
  );
});

describe('docs/permissions.md', () => {
  const page = read('docs/permissions.md');
  const sections = page
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const);
  const files = globSync('**/*.yaml', { cwd: deploy })
    // The chart has copies.
    .filter((path) => !path.startsWith('chart'))
    .filter((path) => !path.endsWith('install.yaml') && !path.endsWith('kustomization.yaml'))
    .filter((path) =>
      (loadAll(readFileSync(join(deploy, path), 'utf8')) as Manifest[]).some(
        ({ rules }) => rules !== undefined,
      ),
    )
    .toSorted();

  test('rights that a run of everything does not need as widely -> named, with the reason', () => {
    const named = rowsOf(page.slice(0, page.indexOf('\n## ')));
    expect(named.map(([right = '', why]) => ({ right: right.replaceAll('`', ''), why }))).toEqual(
      unusedRights,
    );
  });

  test('files with roles -> each has a section, and no other has', () => {
    expect(sections.map(([file]) => file).toSorted()).toEqual(files);
  });

  test.each(sections)('%s -> each right of it, no other, and why', (file, section) => {
    const manifests = loadAll(readFileSync(join(deploy, file), 'utf8')) as Manifest[];
    const granted = manifests.flatMap(({ kind, metadata, rules = [] }) =>
      rules.flatMap((rule) => {
        const { apiGroups = [''], resources = [], nonResourceURLs = [], resourceNames = [], verbs } = rule;
        const group = apiGroups[0] === '' ? '' : ` (${apiGroups[0] ?? ''})`;
        const names = resourceNames.map((name) => `\`${name}\``).join(' ');
        return [...resources, ...nonResourceURLs].map((resource) => [
          `${kind} \`${metadata.name}\``,
          `\`${resource}\`${group}${names === '' ? '' : `, named ${names}`}`,
          verbs.join(' '),
        ]);
      }),
    );
    const rows = rowsOf(section);
    expect(rows.map((row) => row.slice(0, 3))).toEqual(granted);
    expect(rows.filter(([, , , why = '']) => why === '')).toStrictEqual([]);
  });

  test.each(globSync('deploy/**/install.yaml', { cwd: root }).toSorted())(
    '%s -> its first document is the Namespace and no other is, since docs/install.md leaves it out by its place',
    (path) => {
      const kinds = read(path)
        .split(/^---$/m)
        .map((text) => (load(text) as Manifest).kind);
      expect([kinds[0], kinds.lastIndexOf('Namespace')]).toEqual(['Namespace', 0]);
    },
  );
});
