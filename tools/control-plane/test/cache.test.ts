import { globSync } from 'node:fs';
import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryNames, missingBinaries } from '@holdfast/testing';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addEntry, cacheKey, readBuildInputs, useEntry } from '../src/cache.ts';
import { kubernetesBuild, toolBuild } from '../src/go-build.ts';
import { releases } from '../src/releases.ts';
import { toolSets } from '../src/tool-sets.ts';
import { temporaryFolders } from './temporary-folder.ts';

const build = kubernetesBuild(releases['1.36']);

async function fillWith(folder: string, names: readonly string[] = binaryNames): Promise<void> {
  await Promise.all(names.map((name) => writeFile(join(folder, name), '', { mode: 0o755 })));
}

describe('cacheKey', () => {
  test('any one input changed -> another key', () => {
    const inputs = fc.dictionary(fc.string(), fc.string(), { minKeys: 1 });
    fc.assert(
      fc.property(inputs, fc.nat(), fc.string({ minLength: 1 }), (from, which, more) => {
        const names = Object.keys(from);
        const name = names[which % names.length] ?? '';
        expect(cacheKey({ ...from, [name]: `${from[name]}${more}` })).not.toBe(cacheKey(from));
      }),
      { seed: 1 },
    );
  });

  test('an input more -> another key', () => {
    expect(cacheKey({ a: '1', b: '' })).not.toBe(cacheKey({ a: '1' }));
  });

  test('text moved from one input to the next -> another key', () => {
    expect(cacheKey({ a: 'xy', b: 'z' })).not.toBe(cacheKey({ a: 'x', b: 'yz' }));
  });

  test('same inputs in another order -> same key', () => {
    expect(cacheKey({ b: '2', a: '1' })).toBe(cacheKey({ a: '1', b: '2' }));
  });
});

describe('readBuildInputs', () => {
  test.each(Object.values(releases))(
    'release $name -> module and sum files, a main for each program, target and arguments',
    async (each) => {
      const inputs = await readBuildInputs(kubernetesBuild(each));
      expect(Object.keys(inputs).sort()).toEqual(
        [
          'GOARCH',
          'GOOS',
          'arguments',
          ...binaryNames.map((name) => `cmd/${name}/main.go`),
          'go.mod',
          `kubernetes-${each.name}.mod`,
          `kubernetes-${each.name}.sum`,
        ].sort(),
      );
      expect(inputs[`kubernetes-${each.name}.mod`]).toContain(`k8s.io/kubernetes ${each.version}`);
      expect(inputs['arguments']).toContain(`component-base/version.gitVersion=${each.version}`);
    },
  );

  test('tests of modules -> their packages too, and the module is the version', async () => {
    const build = toolBuild(toolSets['controller-runtime']);
    const inputs = await readBuildInputs(build);
    expect(JSON.parse(inputs['packages'] ?? '[]')).toEqual(build.packages);
    expect(inputs['go.mod']).toContain(
      `sigs.k8s.io/controller-runtime ${toolSets['controller-runtime'].version}`,
    );
  });

  test.each(Object.values(toolSets).filter(({ tests }) => tests === undefined))(
    'tools $name -> module and sum file, every source of our own, target and arguments',
    async (each) => {
      const build = toolBuild(each);
      const inputs = await readBuildInputs(build);
      const ours = globSync('**/*.go', { cwd: build.folder });
      expect(Object.keys(inputs).sort()).toEqual(
        ['GOARCH', 'GOOS', 'arguments', 'go.mod', 'go.sum', ...ours].sort(),
      );
      for (const program of each.programs) {
        expect(inputs['go.mod']).toMatch(new RegExp(`^(tool )?\\s*\\S+/${program}(/v\\d+)?$`, 'm'));
      }
      expect(inputs['arguments']).toContain(each.version.slice(1));
    },
  );
});

describe('entries', () => {
  const newFolder = temporaryFolders();

  test('build throws half way -> no entry, no link, nothing left', async () => {
    const cache = await newFolder();
    const building = addEntry(cache, build, 'k', async (folder) => {
      await fillWith(folder, ['etcd', 'kube-apiserver']);
      throw new Error('interrupted');
    });
    await expect(building).rejects.toThrow('interrupted');
    expect(await readdir(cache)).toStrictEqual([]);
    expect(await useEntry(cache, build, 'k')).toBe(false);
  });

  test('build leaves a program out -> refused by name, nothing left', async () => {
    const cache = await newFolder();
    const building = addEntry(cache, build, 'k', (folder) => fillWith(folder, ['etcd', 'kubectl']));
    await expect(building).rejects.toThrow('made no kube-apiserver, kube-controller-manager');
    expect(await readdir(cache)).toStrictEqual([]);
  });

  test('build complete -> entry in use, the link leads to it', async () => {
    const cache = await newFolder();
    await addEntry(cache, build, 'k', fillWith);
    expect(await useEntry(cache, build, 'k')).toBe(true);
    expect(await readlink(join(cache, '1.36'))).toBe('1.36-k');
    expect(missingBinaries(join(cache, '1.36'))).toStrictEqual([]);
  });

  test('new build complete -> older entries and dead builds of this release are gone, the other release stays', async () => {
    const cache = await newFolder();
    await addEntry(cache, kubernetesBuild(releases['1.31']), 'k', fillWith);
    await addEntry(cache, build, 'old', fillWith);
    await mkdir(join(cache, '1.36.building-dead'));
    await addEntry(cache, build, 'new', fillWith);
    expect((await readdir(cache)).sort()).toEqual(['1.31', '1.31-k', '1.36', '1.36-new']);
    expect(await readlink(join(cache, '1.36'))).toBe('1.36-new');
  });

  test('new build fails -> the older entry stays and the link leads to it', async () => {
    const cache = await newFolder();
    await addEntry(cache, build, 'old', fillWith);
    await expect(addEntry(cache, build, 'new', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await readdir(cache)).sort()).toEqual(['1.36', '1.36-old']);
    expect(await readlink(join(cache, '1.36'))).toBe('1.36-old');
  });

  test('link lost -> the next use makes it again', async () => {
    const cache = await newFolder();
    await addEntry(cache, build, 'k', fillWith);
    await rm(join(cache, '1.36'));
    expect(await useEntry(cache, build, 'k')).toBe(true);
    expect(await readlink(join(cache, '1.36'))).toBe('1.36-k');
  });

  test('entry lost a program -> not in use, and built again', async () => {
    const cache = await newFolder();
    await addEntry(cache, build, 'k', fillWith);
    await rm(join(cache, '1.36-k', 'kubectl'));
    expect(await useEntry(cache, build, 'k')).toBe(false);
    await addEntry(cache, build, 'k', fillWith);
    expect(await useEntry(cache, build, 'k')).toBe(true);
  });

  test('the same finished by somebody else meanwhile -> theirs is kept, as it may be in use', async () => {
    const cache = await newFolder();
    await addEntry(cache, build, 'k', async (folder) => {
      await fillWith(folder);
      const theirs = join(cache, '1.36-k');
      await mkdir(theirs);
      await fillWith(theirs);
      await writeFile(join(theirs, 'theirs'), '');
    });
    expect(await readdir(join(cache, '1.36-k'))).toContain('theirs');
  });
});
