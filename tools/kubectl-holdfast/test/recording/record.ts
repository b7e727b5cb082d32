import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { findBinaries } from '@holdfast/testing';
import { findChromium, howToGetIt, launch } from '../view/chromium.ts';
import { animatedPng } from './animated-png.ts';
import { openScreen, type Screen } from './screen.ts';

/*
 * `node --conditions=@holdfast/source tools/kubectl-holdfast/test/recording/record.ts` takes the recording of the
 * README anew: `npm start`, then kubectl at its cluster, each with what it prints, and beside it the page whose address
 * `npm start` gives. Only the pace is made: each story and each answer is shown for as long as it takes to read.
 */
const root = join(import.meta.dirname, '../../../..');
const file = process.env['OUT'] ?? join(import.meta.dirname, '../../docs/recording.png');
const terminalWidth = 800;
/** Of the page, in its own pixels; its picture has three quarters of them. */
const pageSize = { width: 1_160, height: 960 };
const pageScale = 0.75;

/** What is typed, and which button of the page is pressed when it has been answered. */
const commands: readonly { readonly command: string; readonly chosen?: RegExp }[] = [
  { command: 'kubectl apply -f shop.yaml', chosen: /^shop\/web/ },
  { command: 'kubectl holdfast plan sts web --replicas 1 -n shop' },
  { command: 'kubectl scale sts web --replicas 1 -n shop' },
  { command: 'kubectl delete pvc data-web-0 -n shop --wait=false', chosen: /^claim data-web-0/ },
  { command: 'kubectl holdfast explain pvc data-web-0 -n shop' },
  { command: 'kubectl delete sts web -n shop' },
  { command: 'kubectl get pvc -n shop' },
];

async function record(chromium: string, binaries: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-recording-'));
  await symlink(join(root, 'tools/kubectl-holdfast/dist/main.js'), join(folder, 'kubectl-holdfast'));
  // As `npm start` runs it; npm itself does not pass SIGINT on.
  const demo = spawn(process.execPath, ['--conditions=@holdfast/source', 'tools/demo/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  const browser = await launch(chromium);
  try {
    const terminal = await browser.newPage();
    const beside = await browser.newPage({ viewport: pageSize, deviceScaleFactor: pageScale });
    const size = { width: pageSize.width * pageScale, height: pageSize.height * pageScale };
    const screen = await openScreen({ terminal, width: terminalWidth }, { beside, size });
    await screen.type('$ npm start\n');
    await screen.take(1_000);
    let kubeconfig = '';
    for await (const line of createInterface({ input: demo.stdout })) {
      await screen.type(`${line}\n`);
      kubeconfig = /export KUBECONFIG=(\S+)/.exec(line)?.[1] ?? kubeconfig;
      const [, address] = /what holds what, live: (\S+)/.exec(line) ?? [];
      if (address !== undefined) {
        await beside.goto(address);
      }
      if (line === '') {
        await screen.take(2_000);
      }
      if (line.startsWith('retroactive-default-sc ')) {
        break;
      }
    }
    await screen.take(2_500);
    const env = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      PATH: [folder, binaries, process.env['PATH']].join(delimiter),
    };
    for (const { command, chosen } of commands) {
      await play(command, env, screen);
      if (chosen !== undefined) {
        await beside.getByRole('button', { name: chosen }).first().click();
        await screen.take(2_500);
      }
    }
    await screen.take(3_000);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, animatedPng(screen.frames()));
    process.stdout.write(`${file}\n`);
  } finally {
    await browser.close();
    const ended = once(demo, 'close');
    demo.kill('SIGINT');
    demo.stdout.resume();
    await ended;
    await rm(folder, { recursive: true });
  }
}

/** Runs the command as it is typed, and shows for some seconds what comes of it. */
async function play(command: string, env: NodeJS.ProcessEnv, screen: Screen): Promise<void> {
  await screen.type(`\n$ ${command}\n`);
  await screen.take(1_200);
  const [program = '', ...args] = command.split(' ');
  const child = spawn(program, args, { cwd: import.meta.dirname, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`"${command}" ended with ${String(code)}: ${printed}`);
  }
  await screen.type(printed);
  await screen.take(600);
  // What the controllers and the page make of it is not to be foreseen; it comes within these seconds, a picture each.
  for (let picture = 0; picture < 5; picture += 1) {
    await new Promise((resolve) => setTimeout(resolve, 600));
    await screen.take(600);
  }
  await screen.take(printed.length > 300 ? 3_000 : 600);
}

const chromium = findChromium();
const found = findBinaries({ release: '1.36', needed: ['kubectl'] });
if (chromium === undefined) {
  process.stderr.write(`no recording: there is no browser; ${howToGetIt}\n`);
  process.exitCode = 1;
} else if (!found.found) {
  process.stderr.write(`no recording: there is no kubectl; ${found.reason}\n`);
  process.exitCode = 1;
} else {
  await record(chromium, found.folder);
}
