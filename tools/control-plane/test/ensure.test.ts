import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binaryNames, findBinaries } from '@holdfast/testing';
import { describe, expect, test } from '@jest/globals';
import { ensureBinaries } from '../src/ensure.ts';
import { UnavailableError } from '../src/unavailable-error.ts';
import { fakeGo } from './fake-go.ts';
import { temporaryFolders } from './temporary-folder.ts';
import { until } from './until.ts';

const newFolder = temporaryFolders();
const calm = { signal: new AbortController().signal, report: () => undefined };

async function assets(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}

describe('ensureBinaries by a build', () => {
  test('nothing cached -> built once, and found by @holdfast/testing', async () => {
    const go = await fakeGo(await newFolder());
    const folder = await ensureBinaries({ ...calm, env: go.env });
    expect(folder).toBe(join(go.cache, '1.36'));
    expect(await ensureBinaries({ ...calm, env: go.env })).toBe(folder);
    expect(await go.builds()).toHaveLength(1);
    expect(findBinaries({ env: go.env })).toMatchObject({ found: true, source: 'cache' });
    expect((await readdir(folder)).sort()).toEqual([...binaryNames].sort());
  });

  test('cached, and no Go any more -> from the cache', async () => {
    const go = await fakeGo(await newFolder());
    const folder = await ensureBinaries({ ...calm, env: go.env });
    await rm(join(go.env['PATH'] ?? '', 'go'));
    expect(await ensureBinaries({ ...calm, env: go.env })).toBe(folder);
  });

  test('a source file changed -> built again, the older build is gone', async () => {
    const go = await fakeGo(await newFolder());
    const goFolder = await newFolder();
    for (const name of binaryNames) {
      await mkdir(join(goFolder, 'cmd', name), { recursive: true });
    }
    const files = [
      'go.mod',
      'kubernetes-1.36.mod',
      'kubernetes-1.36.sum',
      ...binaryNames.map((name) => `cmd/${name}/main.go`),
    ];
    for (const file of files) {
      await writeFile(join(goFolder, file), '');
    }
    await ensureBinaries({ ...calm, env: go.env, goFolder });
    for (const [index, file] of files.entries()) {
      await writeFile(join(goFolder, file), 'changed');
      await ensureBinaries({ ...calm, env: go.env, goFolder });
      expect(await go.builds()).toHaveLength(index + 2);
    }
    expect(await readdir(go.cache)).toHaveLength(2);
  });

  test('two at once -> one builds, the other waits and takes it', async () => {
    const go = await fakeGo(await newFolder(), { gated: true });
    const said: string[] = [];
    const ensure = (): Promise<string> =>
      ensureBinaries({ ...calm, env: go.env, report: (line) => void said.push(line) });
    const both = Promise.all([ensure(), ensure()]);
    await until('one waits', () => said.some((line) => line.includes('waiting for it')));
    await go.openGate();
    expect(new Set(await both)).toEqual(new Set([join(go.cache, '1.36')]));
    expect(await go.builds()).toHaveLength(1);
  });

  test('interrupted while building -> go has ended, nothing is left in the cache', async () => {
    const go = await fakeGo(await newFolder(), { gated: true });
    const interrupted = new AbortController();
    const building = ensureBinaries({ ...calm, env: go.env, signal: interrupted.signal });
    const outcome = expect(building).rejects.toThrow('enough');
    await until('go builds', async () => (await go.builds()).length === 1);
    interrupted.abort(new Error('enough'));
    await outcome;
    const [pid = 0] = await go.builds();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await readdir(go.cache)).toStrictEqual([]);
  });

  test('build fails -> its output in the error, nothing left, and no UnavailableError', async () => {
    const go = await fakeGo(await newFolder(), { failure: 'undefined: frobnicate' });
    const error: unknown = await ensureBinaries({ ...calm, env: go.env }).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(UnavailableError);
    expect(String(error)).toMatch(/exit code 1.*\n.*undefined: frobnicate/);
    expect(await readdir(go.cache)).toStrictEqual([]);
  });

  test('no Go -> unavailable, says which Go to install and the other way', async () => {
    const folder = await newFolder();
    const ensuring = ensureBinaries({ ...calm, env: { PATH: folder, XDG_CACHE_HOME: folder } });
    await expect(ensuring).rejects.toThrow(UnavailableError);
    await expect(ensuring).rejects.toThrow(/install Go 1\.26 or later.*KUBEBUILDER_ASSETS/);
  });

  test.each([
    { release: '1.36', version: '1.26.0', enough: true },
    { release: '1.36', version: '1.25.9', enough: false },
    { release: '1.36', version: '2.0', enough: true },
    { release: '1.31', version: '1.22.0', enough: true },
    { release: '1.31', version: '1.21.13', enough: false },
    { release: '1.31', version: '1.3', enough: false },
  ] as const)('release $release, Go $version -> enough: $enough', async ({ release, version, enough }) => {
    const go = await fakeGo(await newFolder(), { version });
    const ensuring = ensureBinaries({ ...calm, release, env: go.env });
    if (enough) {
      await expect(ensuring).resolves.toBe(join(go.cache, release));
    } else {
      await expect(ensuring).rejects.toThrow(`go${version}`);
    }
  });
});

describe('ensureBinaries by KUBEBUILDER_ASSETS', () => {
  const complete = {
    etcd: '',
    'kube-apiserver': 'echo Kubernetes v1.33.4',
    'kube-controller-manager': '',
    kubectl: '',
  };

  test('complete, no release asked for -> that folder, whatever version it holds', async () => {
    const folder = await assets(complete);
    expect(await ensureBinaries({ ...calm, env: { KUBEBUILDER_ASSETS: folder } })).toBe(folder);
  });

  test('incomplete -> unavailable, names what is missing', async () => {
    const folder = await assets({ etcd: '', kubectl: '' });
    const ensuring = ensureBinaries({ ...calm, env: { KUBEBUILDER_ASSETS: folder } });
    await expect(ensuring).rejects.toThrow(UnavailableError);
    await expect(ensuring).rejects.toThrow(`${folder}, which lacks kube-apiserver, kube-controller-manager:`);
  });

  test('another release asked for by name -> passed over in so many words', async () => {
    const go = await fakeGo(await newFolder());
    const said: string[] = [];
    const folder = await ensureBinaries({
      ...calm,
      release: '1.31',
      env: { ...go.env, KUBEBUILDER_ASSETS: await assets(complete) },
      report: (line) => void said.push(line),
    });
    expect(folder).toBe(join(go.cache, '1.31'));
    expect(said[0]).toContain('not Kubernetes 1.31: passed over');
  });
});
