import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/* The command as an author installs it: from tarballs, in projects of both module systems. */

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const ours = ['core', 'cli'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-packed-'));
  for (const name of ours) {
    const unpacked = join(folder, 'node_modules/@holdfast', name);
    await mkdir(unpacked, { recursive: true });
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--pack-destination', folder, `./packages/${name}`],
      {
        cwd: repository,
      },
    );
    const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    await run('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', unpacked, '--strip-components=1']);
  }
  // What they depend on, as npm would have put it there; nothing else.
  await symlink(join(repository, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  await symlink(join(repository, 'packages/cli/node_modules/js-yaml'), join(folder, 'node_modules/js-yaml'));
  // npm links the program so, and the file itself is run.
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink('../@holdfast/cli/bin/holdfast.js', join(folder, 'node_modules/.bin/holdfast'));
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const kind = `defineResource({ group: 'example.com', version: 'v1', kind: 'Site', spec: z.object({ host: z.string() }) })`;
const imports = `import { defineResource } from '@holdfast/core/custom-resource';\nimport { z } from 'zod';\n`;
const requires = `const { defineResource } = require('@holdfast/core/custom-resource');\nconst { z } = require('zod');\n`;

test.each([
  [
    'TypeScript in an ESM project',
    'module',
    'kinds.ts',
    `${imports}export const sites = ${kind};\nexport type Name = string;`,
  ],
  ['JavaScript in an ESM project', 'module', 'kinds.js', `${imports}export const sites = ${kind};`],
  [
    'TypeScript in a CommonJS project',
    'commonjs',
    'kinds.ts',
    `${requires}const name: string = 'sites';\nmodule.exports = { [name]: ${kind} };`,
  ],
  ['JavaScript in a CommonJS project', 'commonjs', 'kinds.js', `${requires}exports.sites = ${kind};`],
])('%s -> its definition is written', async (_, type, name, text) => {
  const project = await mkdtemp(join(folder, 'project-'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'operator', type }));
  await writeFile(join(project, name), text);
  const program = join(folder, 'node_modules/.bin/holdfast');
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  await run(program, ['crd', name, '--out', 'crds'], { cwd: project, env });
  expect(await readdir(join(project, 'crds'))).toEqual(['example.com_sites.yaml']);
  expect(await readFile(join(project, 'crds/example.com_sites.yaml'), 'utf8')).toContain(
    'name: sites.example.com',
  );
  await run(program, ['crd', name, '--out', 'crds', '--check'], { cwd: project, env });
});
