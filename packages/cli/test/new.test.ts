import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { toolVersions } from '../src/new-project/project-settings.ts';
import { openWorkshop } from './workshop.ts';

const run = promisify(execFile);

// The tests of the new project are a test run of their own.
jest.setTimeout(120_000);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestAt = async (path: string): Promise<Manifest> =>
  JSON.parse(await readFile(path, 'utf8')) as Manifest;

test('new operator -> its tests pass, and its kind and its roles are made', async () => {
  await using shop = await openWorkshop();
  const made = await shop.run('new', 'site-operator', '--group', 'web.example.com');
  expect([made.code, made.stdout]).toEqual([0, '']);
  expect(made.stderr).toContain('site-operator written; next: cd site-operator && npm install && npm test');
  const folder = join(shop.folder, 'site-operator');
  expect((await readdir(folder)).toSorted()).toEqual([
    ...['.gitignore', 'README.md', 'package.json', 'src', 'test', 'tsconfig.json'],
  ]);

  // As npm test, from sources: Node takes the types away. A process for each file would cost more than its tests do.
  const { stdout } = await run(
    process.execPath,
    [
      '--conditions=@holdfast/source',
      '--test',
      '--test-isolation=none',
      '--test-reporter=tap',
      'test/*.test.ts',
    ],
    {
      cwd: folder,
      env: { ...process.env, HOLDFAST_RECORD_REQUESTS: 'requests', NODE_TEST_CONTEXT: undefined },
    },
  );
  expect(stdout).toMatch(/^# pass 6$/m);

  const crd = await shop.runProgram('crd', 'site-operator/src/kinds.ts');
  expect(crd.stdout).toContain('name: sites.web.example.com\n');
  const rbac = await shop.run('rbac', 'site-operator/requests');
  expect([rbac.code, rbac.stderr]).toEqual([0, '']);
  expect(rbac.stdout).toContain('kind: ClusterRole\nmetadata:\n  name: site-operator\n');
  expect(rbac.stdout).toContain(
    '  # patch: test/operator.test.ts\n  - apiGroups: [web.example.com]\n    resources: [sites/status]\n    verbs: [patch]\n',
  );
  expect(rbac.stdout).toContain('resourceNames: [site-operator]');
});

test('what a new project asks for -> the releases that it was tested with', async () => {
  await using shop = await openWorkshop();
  await shop.run('new', 'site-operator');
  const { dependencies, devDependencies } = await manifestAt(join(shop.folder, 'site-operator/package.json'));
  const packages = join(import.meta.dirname, '../..');
  for (const name of ['core', 'runtime', 'testing', 'cli']) {
    const { version } = await manifestAt(join(packages, name, 'package.json'));
    expect({ ...dependencies, ...devDependencies }).toHaveProperty([`@holdfast/${name}`], version);
  }
  const root = await manifestAt(join(packages, '../package.json'));
  const { typescript, ...others } = toolVersions;
  expect(root.devDependencies).toMatchObject({ ...others, 'typescript-7': `npm:typescript@${typescript}` });
  expect(dependencies).not.toHaveProperty('undefined');
});

test.each([
  ['no name', ['new'], 'the name of one operator is needed; see holdfast new --help'],
  ['two names', ['new', 'a', 'b'], 'the name of one operator is needed'],
  ['name with capitals', ['new', 'Site'], 'NAME is "Site": it may be small letters, digits and dashes'],
  [
    'name with a digit first',
    ['new', '1site'],
    'NAME is "1site": it may be small letters, digits and dashes, up to 63, a letter first and no dash last',
  ],
  ['name that is a path', ['new', '../site'], 'NAME is "../site"'],
  [
    'group without a dot',
    ['new', 'site', '--group', 'web'],
    '--group is "web": it may be a DNS name of yours',
  ],
  [
    'kind in small letters',
    ['new', 'site', '--kind', 'site'],
    '--kind is "site": it may be letters and digits',
  ],
  ['kind that is a word of the language', ['new', 'class-operator'], 'the kind would be Class'],
  ['kind that the code has', ['new', 'decision'], 'give another by --kind'],
  ['folder that holds something', ['new', 'full'], 'full is not empty: it holds file; choose another name'],
  ['file of that name', ['new', 'file'], "file can't be read: "],
])('%s -> exit code 2, why, and nothing is written', async (_name, args, message) => {
  await using shop = await openWorkshop();
  await mkdir(join(shop.folder, 'full'));
  await shop.write('full/file', '');
  await shop.write('file', '');
  const before = await readdir(shop.folder, { recursive: false });
  const { code, stderr } = await shop.run(...args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
  expect(await readdir(shop.folder, { recursive: false })).toEqual(before);
});
