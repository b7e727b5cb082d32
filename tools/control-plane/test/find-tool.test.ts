import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ensureTools } from '../src/ensure.ts';
import { findTool } from '../src/find-tool.ts';
import { toolSetNames, toolSets } from '../src/tool-sets.ts';
import { fakeGo } from './fake-go.ts';
import { temporaryFolders } from './temporary-folder.ts';

const newFolder = temporaryFolders();
const calm = { signal: new AbortController().signal, report: () => undefined };

describe('findTool', () => {
  test.each(toolSetNames)('%s built -> all of its programs found, and built once', async (set) => {
    const { programs, tests = ['all'] } = toolSets[set];
    const go = await fakeGo(await newFolder(), { makes: programs });
    const folder = await ensureTools(set, { ...calm, env: go.env });
    expect(folder).toBe(join(go.toolsCache, set));
    expect(await ensureTools(set, { ...calm, env: go.env })).toBe(folder);
    expect(await go.builds()).toHaveLength(tests.length);
    for (const name of programs) {
      const found = findTool(name, go.env);
      expect(found).toMatchObject({ found: true });
      expect(found.found && found.path).toMatch(new RegExp(`^${go.toolsCache}/${set}-[0-9a-f]{16}/${name}$`));
    }
  });

  test('nothing built -> not found, says how to build it', async () => {
    const folder = await newFolder();
    expect(findTool('promtool', { XDG_CACHE_HOME: folder })).toEqual({
      found: false,
      reason: `no promtool at ${join(folder, 'holdfast', 'tools', 'prometheus')}: build it with "npm run control-plane -- --tools prometheus"`,
    });
  });

  test('program lost -> not found, says how to renew it', async () => {
    const go = await fakeGo(await newFolder(), { makes: ['helm'] });
    const folder = await ensureTools('helm', { ...calm, env: go.env });
    await rm(join(folder, 'helm'));
    expect(findTool('helm', go.env)).toMatchObject({
      found: false,
      reason: expect.stringMatching(
        /lacks helm: remove that folder and run "npm run control-plane -- --tools helm"$/,
      ),
    });
  });

  test('no Go -> unavailable, says which Go to install', async () => {
    const folder = await newFolder();
    await expect(
      ensureTools('helm', { ...calm, env: { PATH: folder, XDG_CACHE_HOME: folder } }),
    ).rejects.toThrow(/^helm 3\.22\.0 must be built.*install Go 1\.26 or later/);
  });
});
