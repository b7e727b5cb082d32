import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { atBuild } from './at-build.ts';
import { leftOut } from './left-out.ts';

/** The first release of Node that has everything undici needs. */
const oldestNode = { major: 22, minor: 19 };
const oldest = `${String(oldestNode.major)}.${String(oldestNode.minor)}`;

/**
 * Bundles an app into `dist/main.js`, a single file that needs only Node to run. `dist/main.js.files.json`
 * lists the files of which the bundle contains something, relative to the working directory.
 *
 * @param app its folder
 * @returns the files from which the bundle was made, relative to the working directory
 * @throws if a source does not compile or a name is missing; esbuild has written the reason to stderr
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
    // Reduces the source that V8 keeps in memory: 6 MiB of a small process.
    minifyWhitespace: true,
    minifySyntax: true,
    // Limits the line that Node prints when an uncaught error ends the process.
    lineLimit: 160,
    // As in Node's own copy of undici: leaves out the second HTTP parser, which is experimental.
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

/** Modules that a plugin generates have names like `left-out:./transport`. */
const isFile = (path: string): boolean => !/^[a-z-]+:/.test(path);

function bannerOf(name: string): string {
  return [
    "import { createRequire as holdfastRequire } from 'node:module';",
    // Without this check an older Node would fail while modules load, with an error that does not show the
    // cause.
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
