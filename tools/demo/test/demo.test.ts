import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { bundle } from '../src/processes.ts';
import { toolFolder } from '../src/view.ts';
import { headings, startDemo, type DemoProcess } from './demo-process.ts';

/** The bundle of the tool that shows the cluster is made once: demos side by side would all make it. */
let bundled: Promise<void> | undefined;

/** What was started with a kubeconfig in the folder: controllers, and the tool. */
function processesNaming(folder: string): readonly string[] {
  const commands = existsSync('/proc/self/cmdline')
    ? globSync('/proc/[0-9]*/cmdline').flatMap((file) => contentOf(file)?.replaceAll('\0', ' ') ?? [])
    : execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return commands.filter((command) => command.includes(`--kubeconfig=${folder}`));
}

/** Undefined: the process has ended meanwhile. */
function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Sends the signal that Ctrl-C is, and expects the end of all. */
async function interrupted(demo: DemoProcess, temporary: string): Promise<void> {
  demo.kill('SIGINT');
  let code: number | null | undefined;
  void demo.exit.then((ended) => (code = ended));
  await eventually('it has ended', () => code !== undefined);
  expect({ code, stderr: demo.stderr() }).toEqual({ code: 0, stderr: '' });
  expect(processesNaming(temporary)).toStrictEqual([]);
  expect(readdirSync(temporary)).toStrictEqual([]);
}

/** Demos run side by side: each spends most of its time waiting for the processes that it starts. */
function demoTest(name: string, play: (temporary: string) => Promise<void>): void {
  test.concurrent(
    name,
    async () => {
      await (bundled ??= bundle([toolFolder]));
      const temporary = await mkdtemp(join(tmpdir(), 'holdfast-demo-test-'));
      try {
        await play(temporary);
      } finally {
        await rm(temporary, { recursive: true, force: true });
      }
    },
    120_000,
  );
}

describe('demo', () => {
  demoTest(
    '--once on the embedded control plane -> every story is told to its end, exit 0, nothing is left',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once']);
      expect({ code: await demo.exit, output: demo.stdout() }).toMatchObject({ code: 0 });
      for (const heading of headings) {
        expect(demo.stdout()).toContain(heading);
      }
      expect(demo.stdout()).toMatch(/the controller lets the claim go, and it is gone/);
      expect(demo.stdout()).toMatch(/claim late class silver; registry keeps gold/);
      expect(demo.stdout()).toMatch(/the set is deleted: its last claim goes with it/);
      expect(demo.stdout()).toMatch(/has the driver delete the folder, and lets the volume go/);
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );

  demoTest(
    '--only with one name -> that story alone; then a page and who is at work, until SIGINT, exit 0, nothing is left',
    async (temporary) => {
      // Whether a lease is held is judged by the `Date` of the server's answers, which no test moves.
      const demo = startDemo(temporary, ['--only=pv-reclaim-honor'], { HOLDFAST_CLOCK_SHIFT: '0' });
      await eventually(
        'it says who is at work',
        () => /^pv-reclaim-honor +yes /m.test(demo.stdout()),
        90_000,
      );
      expect(demo.stdout()).toContain('pv-reclaim-honor: a volume is deleted before its claim');
      expect(demo.stdout()).not.toContain('retroactive-default-sc: ');
      const [, address = ''] = /what holds what, live: (\S+)/.exec(demo.stdout()) ?? [];
      const page = await fetch(address, { headers: { connection: 'close' } });
      expect({ status: page.status, isPage: (await page.text()).includes('<html') }).toEqual({
        status: 200,
        isPage: true,
      });
      // To a pipe, nothing but lines.
      expect(demo.stdout()).not.toContain('\u001b');
      expect(processesNaming(temporary).length).toBe(3);
      await interrupted(demo, temporary);
    },
  );

  for (const [stage, line] of [
    ['the API server has begun', 'API server at'],
    ['a story is told', '  1. '],
    ['the page is about to be served', 'Ctrl-C ends it'],
  ] as const) {
    demoTest(`SIGINT when ${stage} -> exit 0 soon, nothing is left`, async (temporary) => {
      const demo = startDemo(temporary, ['--only=pvc-protection']);
      await eventually(stage, () => demo.stdout().includes(line), 90_000);
      await interrupted(demo, temporary);
    });
  }

  // All stories, as the first alone might be over before the signal comes.
  demoTest(
    '--once that is interrupted -> exit 1, for the stories were not seen to hold',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once']);
      await eventually('it has begun', () => demo.stdout().includes('pvc-protection is started'), 60_000);
      demo.kill('SIGTERM');
      expect(await demo.exit).toBe(1);
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );

  demoTest('killed by SIGKILL -> its controllers end and nothing is left', async (temporary) => {
    const demo = startDemo(temporary, ['--once']);
    await eventually('it has begun', () => demo.stdout().includes('pvc-protection is started'), 60_000);
    await eventually('its controller runs', () => processesNaming(temporary).length > 0);
    demo.kill('SIGKILL');
    await demo.exit;
    await eventually('its controller has ended', () => processesNaming(temporary).length === 0);
    await eventually('its folder is gone', () => readdirSync(temporary).length === 0);
  });

  demoTest(
    'a controller that does not start -> the story fails with its words, exit 1, nothing is left',
    async (temporary) => {
      // Every flag may come from the environment; this one reaches the controllers and not the demo.
      const demo = startDemo(temporary, ['--once', '--only=retroactive-default-sc'], {
        HOLDFAST_FEATURE_GATES: 'NoSuchGate=true',
      });
      expect(await demo.exit).toBe(1);
      expect(demo.stdout()).toContain('FAILED: retroactive-default-sc has ended by itself');
      expect(demo.stdout()).toContain('NoSuchGate');
      expect(readdirSync(temporary)).toStrictEqual([]);
    },
  );

  demoTest('--only with a name that has no story -> exit 2, naming those that have', async (temporary) => {
    const demo = startDemo(temporary, ['--once', '--only=pvc-protection,nothing']);
    expect(await demo.exit).toBe(2);
    expect(demo.stderr()).toMatch(/--only: .*"nothing".*pvc-protection.*pv-reclaim-honor/);
    expect(demo.stdout()).toBe('');
  });

  demoTest(
    'B7: --real without the binaries -> exit 1, saying which release is wanted and how to get it',
    async (temporary) => {
      const demo = startDemo(temporary, ['--once', '--real'], {
        HOME: temporary,
        XDG_CACHE_HOME: temporary,
        KUBEBUILDER_ASSETS: '',
      });
      expect(await demo.exit).toBe(1);
      expect(demo.stderr()).toContain('THE REAL BINARIES ARE MISSING');
      expect(demo.stderr()).toMatch(/Kubernetes 1\.31 .*npm run control-plane -- --release 1\.31/);
      expect(demo.stdout()).toBe('');
    },
  );
});
