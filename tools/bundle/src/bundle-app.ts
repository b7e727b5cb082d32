import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { atBuild } from './at-build.ts';
import { leftOut } from './left-out.ts';

/** The first release of Node with all that undici needs. */
const oldestNode = { major: 22, minor: 19 };
const oldest = `${String(oldestNode.major)}.${String(oldestNode.minor)}`;

/**
 * Bundles an app into `dist/main.js`, one file that runs with nothing beside it but Node. `dist/main.js.files.json` lists the files of
 * which something is left in it, relative to the working directory.
 *
 * @param app its folder.
 * @returns the files that the bundle was made from, relative to the working directory.
 * @throws when a source does not compile or a name is missing; esbuild has written why to stderr.
 */
export async function bundleApp(app: string): Promise<readonly string[]> {
  const outfile = join(app, 'dist/main.js');
  const { metafile } = await build({
    entryPoints: [join(app, 'src/main.ts')],
    outfile,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: `node${oldest}`,
    format: 'esm',
    conditions: ['@holdfast/source'],
    sourcemap: 'linked',
    legalComments: 'linked',
    // Less source for V8 to hold: 6 MiB of a small process.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the whole line when it ends on an error that nobody caught.
    lineLimit: 160,
    // What Node's own copy of undici is built with: without the second HTTP parser, which is an experiment.
    define: { esbuildDetection: 'true' },
    plugins: [atBuild, ...leftOut],
    banner: { js: bannerOf(basename(app)) },
    logLevel: 'warning',
  });
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  writeFileSync(`${outfile}.files.json`, JSON.stringify(held.filter(isFile).toSorted(), undefined, 1));
  return Object.keys(metafile.inputs).filter(isFile);
}

/** What a plugin makes up has a name like `left-out:./transport`. */
const isFile = (path: string): boolean => !/^[a-z-]+:/.test(path);

function bannerOf(name: string): string {
  return [
    "import { createRequire as holdfastRequire } from 'node:module';",
    // An older Node fails while modules load, far from where anybody could see why.
    '{',
    "  const [major, minor] = process.versions.node.split('.').map(Number);",
    `  if (major < ${String(oldestNode.major)} || (major === ${String(oldestNode.major)} && minor < ${String(oldestNode.minor)})) {`,
    `    process.stderr.write(\`${name}: Node ${oldest} or later is needed, this is \${process.versions.node}\\n\`);`,
    '    process.exit(2);',
    '  }',
    '}',
    // CommonJS packages within an ES module still call require for Node's own modules.
    'const require = holdfastRequire(import.meta.url);',
  ].join('\n');
}
