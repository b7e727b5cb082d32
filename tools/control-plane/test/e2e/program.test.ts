import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startOrphanGuard, type OrphanGuard } from '@holdfast/testing';
import { startProgram, type Program } from '../../src/e2e/program.ts';
import { temporaryFolders } from '../temporary-folder.ts';

const newFolder = temporaryFolders();

describe('startProgram', () => {
  let guard: OrphanGuard;
  let cwd: string;

  beforeEach(async () => {
    cwd = await newFolder();
    guard = await startOrphanGuard(cwd);
  });
  afterEach(() => guard.dismiss());

  const start = (script: string, keptOutput?: number): Promise<Program> =>
    startProgram({
      name: 'sh',
      file: 'sh',
      args: ['-c', script],
      cwd,
      guard,
      ...(keptOutput === undefined ? {} : { keptOutput }),
    });

  test('ends by itself -> says how, and what it wrote last', async () => {
    const program = await start('echo early; echo late >&2; exit 3', 5);
    await program.ended;
    expect([program.end, program.output]).toEqual(['exit code 3', 'late\n']);
  });

  test('runs -> no end; stopped -> ended with what it started', async () => {
    const program = await start('sleep 60 & wait');
    expect(program.end).toBeUndefined();
    // The output closes when the last of its process group has ended.
    await program.stop();
    expect(program.end).toBe('signal SIGTERM');
  });

  test('not there -> refused', async () => {
    const starting = startProgram({ name: 'none', file: `${cwd}/none`, args: [], cwd, guard });
    await expect(starting).rejects.toThrow('ENOENT');
  });
});
