import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packagesOf } from '../src/bundled-packages.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function install(folder: string, version: string, license = 'MIT'): void {
  put(`${folder}/package.json`, { name: folder.split('node_modules/').at(-1), version, license });
  put(`${folder}/LICENSE`, `license of ${folder}`);
}

describe('packagesOf', () => {
  test('files of several packages, nested ones, ones in folders with a package.json of their own -> each package once', () => {
    install('node_modules/pino', '10.4.0');
    install('node_modules/@peculiar/x509', '1.14.3');
    install('node_modules/@peculiar/x509/node_modules/tslib', '1.14.1', '0BSD');
    put('node_modules/pino/esm/package.json', { type: 'module' });
    put('apps/one/package.json', { name: '@holdfast/one', version: '0.1.0' });
    const found = packagesOf(root, 'apps/one', [
      'apps/one/src/main.ts',
      'node_modules/pino/pino.js',
      'node_modules/pino/esm/deep/pino.js',
      'node_modules/@peculiar/x509/build/x509.js',
      'node_modules/@peculiar/x509/node_modules/tslib/tslib.js',
    ]);
    expect(
      found.map(({ name, version, license, licenseTexts }) => [name, version, license, licenseTexts]),
    ).toEqual([
      ['@peculiar/x509', '1.14.3', 'MIT', ['license of node_modules/@peculiar/x509']],
      ['tslib', '1.14.1', '0BSD', ['license of node_modules/@peculiar/x509/node_modules/tslib']],
      ['pino', '10.4.0', 'MIT', ['license of node_modules/pino']],
    ]);
  });

  test('a package without the text of its license -> refused by its name', () => {
    put('node_modules/bare/package.json', { name: 'bare', version: '1.0.0', license: 'MIT' });
    expect(() => packagesOf(root, 'apps/one', ['node_modules/bare/index.js'])).toThrow(
      'node_modules/bare has no text of its license, MIT',
    );
  });

  test('a package that names no license -> refused by its name', () => {
    put('node_modules/bare/package.json', { name: 'bare', version: '1.0.0' });
    expect(() => packagesOf(root, 'apps/one', ['node_modules/bare/index.js'])).toThrow(
      'node_modules/bare/package.json names no license',
    );
  });

  test('a file of no package -> refused by its path', () => {
    expect(() => packagesOf(root, 'apps/one', ['elsewhere/index.js'])).toThrow(
      'elsewhere/index.js belongs to no package',
    );
  });
});
