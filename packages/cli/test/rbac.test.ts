import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop, type Workshop } from './workshop.ts';

const requestsOf = (operator: string, verb: string): string =>
  JSON.stringify({
    format: 'holdfast-requests/1',
    operator,
    test: 'test/a.test.ts',
    namespaces: [],
    own: [],
    requests: [
      {
        verb,
        group: '',
        resource: 'pods',
        subresource: '',
        namespace: '',
        name: '',
        path: '',
        isApply: false,
      },
    ],
  });

async function recordedShop(): Promise<Workshop> {
  const shop = await openWorkshop();
  await mkdir(join(shop.folder, 'asked'));
  await shop.write('asked/a-1.json', requestsOf('site', 'list'));
  return shop;
}

test('--out, again, --check -> written, up to date, 0; another request -> a diff and 1', async () => {
  await using shop = await recordedShop();
  const rbac = ['rbac', 'asked', '--out', 'deploy/role.yaml'] as const;
  const first = await shop.run(...rbac);
  expect([first.code, first.stdout]).toEqual([0, '']);
  expect(first.stderr).toContain('holdfast: deploy/role.yaml written\n');
  expect(await readFile(join(shop.folder, 'deploy/role.yaml'), 'utf8')).toContain('  name: site\n');
  expect((await shop.run(...rbac)).stderr).toContain('deploy/role.yaml is up to date');
  expect(await shop.run(...rbac, '--check')).toMatchObject({ code: 0, stdout: '' });

  await shop.write('asked/a-2.json', requestsOf('site', 'delete'));
  const stale = await shop.run(...rbac, '--check');
  expect(stale.code).toBe(1);
  expect(stale.stdout).toContain('+    verbs: [delete, list]');
  expect(stale.stderr).toContain('deploy/role.yaml is stale; run the command without --check');
});

test('no --out -> on standard output, under the name that is given; no lease -> said', async () => {
  await using shop = await recordedShop();
  const { code, stdout, stderr } = await shop.run('rbac', 'asked', '--name', 'web');
  expect(code).toBe(0);
  expect(stdout).toContain('kind: ClusterRole\nmetadata:\n  name: web\nrules:\n  # list: test/a.test.ts\n');
  expect(stderr).toContain("give one of them flags: ['--leader-elect']");
});

test.each([
  ['no folder', ['rbac'], 'no folder of requests is named; see holdfast rbac --help'],
  [
    'folder is missing',
    ['rbac', 'nowhere'],
    "run the operator's tests with HOLDFAST_RECORD_REQUESTS=nowhere",
  ],
  ['folder holds nothing', ['rbac', 'empty'], 'empty holds no requests'],
  ['file is no JSON', ['rbac', 'broken'], "broken/a.json can't be read: "],
  ['file is of another format', ['rbac', 'other'], 'other/a.json is not of the format holdfast-requests/1'],
  [
    'several operators',
    ['rbac', 'asked', 'second'],
    'the tests are of several operators, site, page; record each in a folder of its own, or give --name',
  ],
  [
    'name with a slash',
    ['rbac', 'asked', '--name', 'a/b'],
    `--name "a/b" can't be the name of a role: it must not be . or .., nor contain / or %`,
  ],
  [
    'name of dots',
    ['rbac', 'asked', '--name=..'],
    `--name ".." can't be the name of a role: it must not be . or .., nor contain / or %`,
  ],
  [
    'file in a folder that the system refuses without a reason',
    ['rbac', 'asked', '--out', '/proc/x/role.yaml'],
    "/proc/x/role.yaml can't be written: ",
  ],
  ['--check without a file', ['rbac', 'asked', '--check'], '--out is missing; see holdfast rbac --help'],
  ['unknown option', ['rbac', '--fast'], "Unknown option '--fast'; see holdfast rbac --help"],
])('%s -> exit code 2, and why', async (_name, args, message) => {
  await using shop = await recordedShop();
  await Promise.all(['empty', 'broken', 'other', 'second'].map((name) => mkdir(join(shop.folder, name))));
  await shop.write('broken/a.json', '{');
  await shop.write('other/a.json', '{}');
  await shop.write('second/a.json', requestsOf('page', 'list'));
  const { code, stdout, stderr } = await shop.run(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});

test('--help -> the usage', async () => {
  await using shop = await openWorkshop();
  const { code, stdout } = await shop.run('rbac', '--help');
  expect([code, stdout.split('\n', 1)]).toEqual([
    0,
    ['holdfast rbac DIR... [--name NAME] [--out FILE] [--check]'],
  ]);
});
