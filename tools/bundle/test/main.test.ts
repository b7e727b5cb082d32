import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function makeApp(name: string, source: string): Promise<string> {
  const app = join(folder, `${name}-${crypto.randomUUID()}`);
  await mkdir(join(app, 'src'), { recursive: true });
  await writeFile(join(app, 'src/main.ts'), source);
  return app;
}

async function bundle(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(root, 'tools/bundle/src/main.ts'), ...args], { cwd: root });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

const bundleOf = (app: string): string => join(app, 'dist/main.js');

describe('bundle', () => {
  test('sources as they were -> bundled once; a changed source, a lost bundle -> bundled anew', async () => {
    const app = await makeApp('app', `import './part.ts';`);
    await writeFile(join(app, 'src/part.ts'), `console.log('one');`);
    expect((await bundle('--if-changed', app)).stdout).toMatch(/^bundled /);
    expect((await bundle('--if-changed', app)).stdout).toBe('');

    await writeFile(join(app, 'src/part.ts'), `console.log('two');`);
    expect((await bundle('--if-changed', app)).stdout).toMatch(/^bundled /);
    expect(await readFile(bundleOf(app), 'utf8')).toContain('two');

    await rm(bundleOf(app));
    expect((await bundle('--if-changed', app)).stdout).toMatch(/^bundled /);
    expect(existsSync(bundleOf(app))).toBe(true);
  });

  test('files that are imported and not used, or only pass names on -> made from them, but they are not listed as held', async () => {
    const app = await makeApp(
      'app',
      `import { used } from './index.ts'; import { unused } from './unused.ts'; used();`,
    );
    await writeFile(join(app, 'src/index.ts'), `export * from './used.ts';`);
    await writeFile(join(app, 'src/used.ts'), `export function used() { console.log('used'); }`);
    await writeFile(join(app, 'src/unused.ts'), `export function unused() { console.log('unused'); }`);
    await bundle(app);
    const held = JSON.parse(await readFile(`${bundleOf(app)}.files.json`, 'utf8')) as readonly string[];
    expect(held.map((path) => basename(path))).toEqual(['main.ts', 'used.ts']);
    expect(held.map((path) => existsSync(join(root, path)))).toEqual([true, true]);
  });

  test('a module named .at-build.ts -> run once, while it is bundled; the bundle has what it exported, and needs no file', async () => {
    const app = await makeApp('app', `import { text } from './text.at-build.ts'; console.log(text);`);
    const [read, file] = [join(app, 'src/text.at-build.ts'), join(app, 'src/text.html')];
    await writeFile(file, '<p>"one"</p>');
    await writeFile(
      read,
      `import { readFileSync } from 'node:fs';
       export const text: string = readFileSync(import.meta.dirname + '/text.html', 'utf8');`,
    );
    await bundle(app);
    await Promise.all([rm(file), rm(read)]);
    const child = spawn(process.execPath, [bundleOf(app)]);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    await once(child, 'close');
    expect(stdout).toBe('<p>"one"</p>\n');
  });

  test('an app that does not compile -> it has no bundle, the other has its own, exit 1', async () => {
    const [broken, sound] = [await makeApp('broken', 'const = 1;'), await makeApp('sound', 'let a = 1;')];
    await mkdir(join(broken, 'dist'));
    await writeFile(bundleOf(broken), 'of an older source');
    const { code, stderr } = await bundle(broken, sound);
    expect(code).toBe(1);
    expect(stderr).toContain('broken');
    expect(existsSync(bundleOf(broken))).toBe(false);
    expect(existsSync(bundleOf(sound))).toBe(true);
  });

  test('no app named -> exit 2, says what to name', async () => {
    expect(await bundle()).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bundle: name the folders of the apps, for example apps/pvc-protection\n',
    });
  });
});
