import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import nxRelease from 'nx/release/index.js';
import { raiseChart, retagChart } from './chart-release.ts';
import { retag } from './image-tags.ts';
import { readManifest } from './manifest.ts';
import { repositoryOf } from './repository.ts';

/**
 * `npm run release -- [version | major | minor | patch] [--projects a,b] [--dry-run]`: sets the versions of
 * the published packages, writes changelogs, image tags and the chart's version, commits, and tags the
 * commit. It publishes nothing and pushes nothing. If no version is given, each project gets its own,
 * depending on the commits since its last tag (CONTRIBUTING.md).
 */
const root = join(import.meta.dirname, '../../..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    projects: { type: 'string' },
  },
});
const dryRun = values['dry-run'];
const say = (line: string): void => void process.stdout.write(`release: ${line}\n`);

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Writes those files of the repository that the change affects, and adds them to the next commit. */
function edit(files: readonly string[], change: (text: string, file: string) => string): void {
  for (const file of files) {
    const before = readFileSync(join(root, file), 'utf8');
    const after = change(before, file);
    if (after !== before) {
      say(`${dryRun ? 'would write' : 'writes'} ${file}`);
      if (!dryRun) {
        writeFileSync(join(root, file), after);
        git('add', file);
      }
    }
  }
}

async function run(): Promise<number> {
  if (!dryRun && git('status', '--porcelain') !== '') {
    say(
      'there are changes that are not committed, which the commit of the release would take along: commit them first',
    );
    return 1;
  }
  const { workspaceVersion, projectsVersionData } = await nxRelease.releaseVersion({
    ...(positionals[0] === undefined ? {} : { specifier: positionals[0] }),
    ...(values.projects === undefined ? {} : { projects: values.projects.split(',') }),
    dryRun,
    stageChanges: true,
    gitCommit: false,
    gitTag: false,
  });
  const released = Object.entries(projectsVersionData).flatMap(([name, { newVersion }]) =>
    typeof newVersion === 'string' ? [[name, newVersion] as const] : [],
  );
  const controllers = released.flatMap(([name, after]) => {
    const before = projectsVersionData[name]?.currentVersion;
    return before !== undefined && existsSync(join(root, 'apps', basename(name)))
      ? [[before, after] as const]
      : [];
  });

  const named = globSync(
    ['deploy/**/*.{yaml,yml,json,tpl,md}', 'docs/**/*.md', 'README.md', 'apps/*/README.md'],
    { cwd: root },
  );
  edit(named.toSorted(), (text) =>
    released.reduce((sofar, [name, version]) => retag(sofar, basename(name), version), text),
  );
  edit(['deploy/chart/holdfast/values.yaml'], (text) =>
    released.reduce((sofar, [name, version]) => retagChart(sofar, basename(name), version), text),
  );
  edit(['deploy/chart/holdfast/Chart.yaml'], (text) => raiseChart(text, controllers));
  const { repository } = readManifest(root);
  if (repository === undefined) {
    say(
      'package.json of the root has no "repository": nothing of this can be published before it has (CONTRIBUTING.md)',
    );
  } else {
    edit(
      globSync('{packages/*,apps/*,tools/kubectl-holdfast}/package.json', { cwd: root }).toSorted(),
      (text, file) => {
        const directory = file.slice(0, file.lastIndexOf('/'));
        const manifest = { ...(JSON.parse(text) as object), repository: repositoryOf(repository, directory) };
        return `${JSON.stringify(manifest, undefined, 2)}\n`;
      },
    );
  }

  await nxRelease.releaseChangelog({
    ...(values.projects === undefined ? {} : { projects: values.projects.split(',') }),
    version: workspaceVersion ?? null,
    versionData: projectsVersionData,
    dryRun,
    gitCommit: released.length > 0,
    gitTag: released.length > 0,
    gitPush: false,
  });
  for (const [name, version] of released) {
    say(`${dryRun ? 'would be' : 'is'} ${name}@${version}`);
  }
  return 0;
}

process.exitCode = await run();
