import { existsSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImages, type BuildOptions } from './build-images.ts';
import { UnavailableError } from './unavailable-error.ts';

const root = join(import.meta.dirname, '../../..');
const apps = readdirSync(join(root, 'apps'))
  .toSorted()
  .filter((app) => existsSync(join(root, 'apps', app, 'src/main.ts')));

const help = `Usage: npm run images -- [<app>...] [flags]

Builds an image for each app (${apps.join(', ')}), or for those named, without a container daemon.
Each is a folder in OCI's image layout, for linux/amd64 and linux/arm64. The same sources give the same digest. See docs/images.md.

  --output <folder>      where the layouts are written; default dist/images
  --packages <folder>    where packages of Node and Debian are kept; what is in it is not fetched; default
                         node_modules/.cache/holdfast-images
  --repository <name>    what comes before /<app> in the names of the images; default holdfast
  --revision <commit>    the commit, for the label org.opencontainers.image.revision; default none
  --help                 this text

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a package can't be had on this machine as it is.
`;

/** An error in the command line, described in one line. */
class UsageError extends Error {}

function readCommand(args: readonly string[]): BuildOptions | undefined {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        output: { type: 'string', default: join(root, 'dist/images') },
        packages: { type: 'string', default: join(root, 'node_modules/.cache/holdfast-images') },
        repository: { type: 'string', default: 'holdfast' },
        revision: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  if (values.help) {
    return undefined;
  }
  const unknown = positionals.find((app) => !apps.includes(app));
  if (unknown !== undefined) {
    throw new UsageError(`unknown app "${unknown}": there are ${apps.join(', ')}`);
  }
  return {
    root,
    apps: positionals.length === 0 ? apps : [...new Set(positionals)],
    output: resolve(values.output),
    packages: resolve(values.packages),
    repository: values.repository.replace(/\/$/, ''),
    revision: values.revision,
  };
}

const say = (line: string): void => void process.stderr.write(`images: ${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readCommand(args);
    if (options === undefined) {
      process.stdout.write(help);
      return 0;
    }
    const called = process.cwd();
    process.chdir(root);
    for (const { folder, digest, sizes } of await buildImages(options)) {
      const mebibytes = Object.entries(sizes).map(
        ([architecture, size]) => `${architecture} ${(size / 2 ** 20).toFixed(1)} MiB`,
      );
      process.stdout.write(`${relative(called, folder)} ${digest} ${mebibytes.join(', ')}\n`);
    }
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      say(`${error.message}; see --help`);
      return 2;
    }
    // Errors of apt and npm have several lines.
    say((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' '));
    return error instanceof UnavailableError ? 3 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
