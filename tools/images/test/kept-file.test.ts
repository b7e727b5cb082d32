import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readKept } from '../src/kept-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const locked = 'what is locked';
const known = {
  name: 'libc6.deb',
  algorithm: 'sha256',
  digest: createHash('sha256').update(locked).digest('hex'),
} as const;

function source(content: string): { readonly fetch: (into: string) => Promise<void>; fetched: number } {
  const counted = {
    fetched: 0,
    fetch: (into: string): Promise<void> => {
      counted.fetched += 1;
      writeFileSync(join(into, known.name), content);
      return Promise.resolve();
    },
  };
  return counted;
}

describe('readKept', () => {
  test('not there -> fetched, and kept for the next time', async () => {
    const from = source(locked);
    expect((await readKept(folder, known, from.fetch)).toString()).toBe(locked);
    expect((await readKept(folder, known, from.fetch)).toString()).toBe(locked);
    expect(from.fetched).toBe(1);
    expect(readdirSync(folder)).toEqual([known.name]);
  });

  test('fetched, another digest than the locked one -> refused with both, nothing is kept', async () => {
    const wrong = 'what a mirror made of it';
    await expect(readKept(folder, known, source(wrong).fetch)).rejects.toThrow(
      `libc6.deb has sha256 ${createHash('sha256').update(wrong).digest('hex')}, and ${known.digest} is locked`,
    );
    expect(readdirSync(folder)).toStrictEqual([]);
  });

  test('kept, but changed since -> fetched anew', async () => {
    writeFileSync(join(folder, known.name), 'half of it');
    expect((await readKept(folder, known, source(locked).fetch)).toString()).toBe(locked);
    expect(readFileSync(join(folder, known.name), 'utf8')).toBe(locked);
  });

  test('can not be fetched -> its error, nothing half is left', async () => {
    const fetch = (into: string): Promise<void> => {
      writeFileSync(join(into, known.name), 'half');
      return Promise.reject(new Error('no route to mirror'));
    };
    await expect(readKept(folder, known, fetch)).rejects.toThrow('no route to mirror');
    expect(readdirSync(folder)).toStrictEqual([]);
  });
});
