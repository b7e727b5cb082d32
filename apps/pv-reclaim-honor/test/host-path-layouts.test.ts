import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostPathPlugin } from '../src/in-tree/host-path.ts';
import { createVolumeFolders } from '../src/in-tree/volume-folders.ts';
import { answeredCalls, atWill, volume } from './objects.ts';
import { createMounter, mountingMissing } from './real-mounts.ts';

/*
 * Layouts of folders, links and mounts, with volumes over them, one of which is deleted. The judge walks the files by
 * itself and knows them by their inodes: nothing of a volume that is kept is touched, what must not be deleted stays
 * whole, and all else goes.
 *
 * HOLDFAST_LAYOUTS=100000 plays that many at random, and a tenth as many with mounts.
 */

interface Layout {
  /** Each has a file of its own. */
  readonly folders: readonly string[];
  readonly links: readonly { readonly at: string; readonly to: string }[];
  /** Without `from`: a file system of its own. */
  readonly mounts: readonly { readonly at: string; readonly from?: string }[];
  /** The path of the one that is deleted. */
  readonly deleted: string;
  readonly others: readonly {
    readonly path: string;
    readonly kind: 'hostPath' | 'local';
    readonly needed: boolean;
  }[];
}

const missing = mountingMissing();
if (missing !== undefined) {
  process.stderr.write(`SKIPPED, layouts with mounts: ${missing}. Run these tests as root on Linux.\n`);
}
const randomLayouts = Number(process.env['HOLDFAST_LAYOUTS'] ?? 500);

let sandbox: string;
let count = 0;

beforeAll(() => {
  // In memory where there is such a place: thousands of folders are made.
  sandbox = realpathSync(
    mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'holdfast-layouts-')),
  );
});
afterAll(() => rmSync(sandbox, { recursive: true }));

/** The inodes of all files and folders to which a path leads, links below it not followed. */
function inodesOf(path: string): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (at: string): void => {
    const { dev, ino } = lstatSync(at);
    found.add(`${String(dev)}:${String(ino)}`);
    if (lstatSync(at).isDirectory()) {
      readdirSync(at).forEach((name) => walk(join(at, name)));
    }
  };
  if (existsSync(path)) {
    walk(realpathSync.native(path));
  }
  return found;
}

function inodeOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${String(dev)}:${String(ino)}`;
}

/** The longest part of the path that is there. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(posix.dirname(path));
}

function wouldBeAt(path: string): string {
  const there = nearest(path);
  return posix.join(realpathSync.native(there), path.slice(there.length));
}

/** Whether a path below the root leads through folders only, none of which is mounted, or has a mount in it. */
function isPlain(root: string, path: string, mountPoints: readonly string[]): boolean {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.');
  const real = join(root, ...steps);
  return (
    steps.length > 0 &&
    !steps.includes('..') &&
    steps.every((_step, at) => {
      const part = join(root, ...steps.slice(0, at + 1));
      return lstatSync(part).isDirectory() && !mountPoints.includes(part);
    }) &&
    !mountPoints.some((each) => each.startsWith(`${real}/`))
  );
}

/** A layout made real. */
interface Place {
  readonly root: string;
  readonly mountPoints: readonly string[];
  /** The inodes of what is under the mounts, which can't be removed by any path. */
  readonly covered: readonly string[];
  remove(): void;
}

function makePlace({ folders, links, mounts }: Omit<Layout, 'deleted' | 'others'>): Place {
  const own = join(sandbox, String((count += 1)));
  // So deep that ".." does not lead out of what is this layout's own.
  const root = join(own, '1', '2', '3', '4', 'root');
  const mounter = createMounter();
  const remove = (): void => {
    mounter.unmountAll();
    rmSync(own, { recursive: true });
  };
  mkdirSync(root, { recursive: true });
  try {
    for (const folder of folders) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, 'file'), folder);
    }
    for (const { at, to } of links) {
      try {
        mkdirSync(join(root, at, '..'), { recursive: true });
        symlinkSync(join(root, to), join(root, at));
      } catch {
        // There is something of that name, or a link that leads nowhere on the way.
      }
    }
    const mountPoints: string[] = [];
    const covered: string[] = [];
    for (const { at, from } of mounts) {
      if (existsSync(join(root, at)) && (from === undefined || existsSync(join(root, from)))) {
        const point = realpathSync.native(join(root, at));
        covered.push(inodeOf(point));
        if (from === undefined) {
          mounter.tmpfs(point);
          writeFileSync(join(point, 'file'), 'in tmpfs');
        } else {
          mounter.bind(join(root, from), point);
        }
        mountPoints.push(point);
      }
    }
    return { root, mountPoints, covered, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

async function play(layout: Layout): Promise<End> {
  const place = makePlace(layout);
  try {
    return await judge(layout, place);
  } finally {
    place.remove();
  }
}

type End = 'deleted' | 'refused' | 'nothing there';

async function judge(
  layout: Pick<Layout, 'deleted' | 'others'>,
  { root, mountPoints, covered }: Place,
): Promise<End> {
  const path = `${root}/${layout.deleted}`;
  const others = layout.others.map((each, at) => ({
    ...each,
    name: `other-${String(at)}`,
    path: `${root}/${each.path}`,
  }));
  const target = inodesOf(path);
  const kept = others
    .filter(({ needed }) => needed)
    .map((each) => ({
      // A way there by ".." or by links may lead through what is deleted, and the files be none of it.
      path: existsSync(each.path) ? realpathSync.native(each.path) : each.path,
      inodes: inodesOf(each.path),
      // By the text too, and where the end of the path would be if it is not there.
      texts: [each.path, wouldBeAt(each.path)].map((at) => posix.join('/', at, '/')),
      isWithin: target.has(inodeOf(nearest(each.path))),
    }));
  const text = posix.join('/', path, '/');
  const isShared = kept.some(
    ({ inodes, texts, isWithin }) =>
      isWithin ||
      [...inodes].some((inode) => target.has(inode)) ||
      texts.some((each) => text.startsWith(each) || each.startsWith(text)),
  );
  const isThere = target.size > 0;
  const mayGo =
    isThere &&
    statSync(path).isDirectory() &&
    !isShared &&
    !covered.some((inode) => target.has(inode)) &&
    isPlain(root, layout.deleted, mountPoints);

  const itself = volume({ name: 'itself', source: { hostPath: { path } } });
  const all = [
    itself,
    ...others.map(({ name, kind, path: at }) => volume({ name, source: { [kind]: { path: at } } })),
  ];
  const plugin = hostPathPlugin(
    root,
    {
      folders: createVolumeFolders(async function* () {
        yield* await Promise.resolve(all);
      }, answeredCalls),
      lookAtNeeds:
        () =>
        ({ metadata }) =>
          Promise.resolve(others.some(({ name, needed }) => needed && name === metadata.name)),
      needsStorageInCache: () => false,
    },
    answeredCalls,
  );
  const error = await plugin.delete(itself, atWill).then(
    () => undefined,
    (reason: unknown) => reason,
  );

  for (const each of kept) {
    expect(inodesOf(each.path)).toEqual(each.inodes);
  }
  if (mayGo) {
    expect(error).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    return 'deleted';
  }
  expect(inodesOf(path)).toEqual(target);
  if (isThere) {
    expect(error).toBeInstanceOf(Error);
    return 'refused';
  }
  return 'nothing there';
}

describe('P1: two volumes, every pair of paths in one small layout', () => {
  const small = {
    folders: ['a', 'a/b', 'c', 'd', 'd/e'],
    links: [
      { at: 'to-a', to: 'a' },
      { at: 'to-b', to: 'a/b' },
      { at: 'to-nothing', to: 'nothing' },
      { at: 'd/to-c', to: 'c' },
      { at: 'to-root', to: '.' },
    ],
    mounts: missing === undefined ? [{ at: 'd/e', from: 'a/b' }] : [],
  };
  const paths = [
    'a',
    'a/b',
    './a//b/',
    'c/../a',
    'c',
    'd',
    'd/e',
    'd/to-c',
    'to-a',
    'to-a/b',
    'to-b',
    'to-root',
    'to-root/c',
    'to-nothing',
    'a/nothing',
    'a/file',
    '.',
  ];
  test.each(paths)(
    '%s is deleted, another is anywhere -> what is kept stays, and what may go goes',
    async (deleted) => {
      const others: readonly Layout['others'][number][] = [
        ...paths.map((path, at) => ({
          path,
          kind: at % 2 === 0 ? ('hostPath' as const) : ('local' as const),
          needed: true,
        })),
        { path: '.', kind: 'hostPath', needed: false },
      ];
      let place = makePlace(small);
      try {
        for (const other of others) {
          // Whoever is refused leaves the place as it was.
          if ((await judge({ deleted, others: [other] }, place)) === 'deleted') {
            place.remove();
            place = makePlace(small);
          }
        }
      } finally {
        place.remove();
      }
    },
  );
});

describe('P1: two and three volumes, layouts at random', () => {
  const step = fc.constantFrom('a', 'b', 'c');
  const plain = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'));
  const spelled = fc
    .array(fc.oneof({ weight: 6, arbitrary: step }, fc.constantFrom('.', '', '..')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((steps) => steps.join('/'));
  const path = fc.oneof({ weight: 3, arbitrary: plain }, spelled);
  const layouts = (mounts: fc.Arbitrary<Layout['mounts']>): fc.Arbitrary<Layout> =>
    fc.record({
      folders: fc.array(plain, { minLength: 1, maxLength: 6 }),
      links: fc.array(fc.record({ at: plain, to: path }), { maxLength: 3 }),
      mounts,
      deleted: path,
      others: fc.array(
        fc.record({ path, kind: fc.constantFrom('hostPath', 'local'), needed: fc.boolean() }),
        { minLength: 1, maxLength: 2 },
      ),
    });

  test(
    'folders and links -> what is kept stays, and what may go goes',
    async () => {
      const ends = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(layouts(fc.constant([])), async (layout) => {
          const end = await play(layout);
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }),
        { numRuns: randomLayouts },
      );
      // None of the ends is rare, or little was tried.
      expect([...ends.keys()].sort()).toEqual(['deleted', 'nothing there', 'refused']);
    },
    120_000 + randomLayouts * 100,
  );

  (missing === undefined ? test : test.skip)(
    'folders, links and mounts -> what is kept stays, and what may go goes',
    async () => {
      const mounts = fc.array(fc.oneof(fc.record({ at: plain, from: plain }), fc.record({ at: plain })), {
        minLength: 1,
        maxLength: 2,
      });
      await fc.assert(
        fc.asyncProperty(layouts(mounts), async (layout) => {
          await play(layout);
        }),
        { numRuns: Math.ceil(randomLayouts / 10) },
      );
    },
    120_000 + randomLayouts * 100,
  );
});
